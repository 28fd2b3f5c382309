export const device = {
  title: 'Connect a program',
  lede: 'A program without a keyboard shows you a code. Enter it here, and the program can act as {{name}}.',
  code: 'Code that the program shows',
  next: 'Continue',
  compare: 'Compare this code',
  program:
    'A program that calls itself “{{program}}” asks for access. Allow it only if its own screen shows exactly this code.',
  asked: 'It asked:',
  warning:
    'Did somebody send you this code or link? Then refuse: they would act as you. Nobody needs it to give you a reward.',
  power: 'It can then do what any API token can, until you revoke it under API tokens.',
  allow: 'Allow access',
  refuse: 'Refuse access',
  allowed: 'Access allowed. The program signs in within a few seconds, and you can close this page.',
  refused: 'Access refused. The program gets nothing.',
  signInFirst: 'Sign in first to connect a program to your account.',
} as const;
