export const captcha = {
  label: 'I am not a robot',
  verifying: 'Checking. It takes a second or two.',
  verified: 'Checked',
  error: 'The check failed. Try it again.',
  expired: 'The check is out of date. Try it again.',
} as const;
