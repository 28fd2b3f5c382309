export const auth = {
  promise: {
    heading: 'What you earn is written down',
    bar: 'A bar for every condition, minute by minute',
    deadline: 'A deadline with a date, and no tricks with the clock',
    code: 'A code to compare before you accept an offer',
  },
} as const;
