export const captcha = {
  label: 'I am not a robot',
  verifying: 'Checking… This takes a second or two.',
  verified: 'Verified',
  error: 'The check failed. Try again.',
  expired: 'The check has expired. Try again.',
} as const;
