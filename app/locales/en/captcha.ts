export const captcha = {
  label: 'I am not a robot',
  verifying: 'Checking… This takes a second or two.',
  verified: 'Checked',
  error: 'The check failed. Try again.',
  expired: 'The check has expired. Try again.',
} as const;
