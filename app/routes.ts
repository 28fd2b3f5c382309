import { index, layout, type RouteConfig, route } from '@react-router/dev/routes';

export default [
  index('routes/landing/landing.tsx'),
  route('healthz', 'routes/health.ts'),
  route('language', 'routes/preferences/language.ts'),
  route('theme', 'routes/preferences/theme.ts'),
  route('auth/twitch', 'routes/auth/twitch.ts'),
  route('auth/twitch/callback', 'routes/auth/twitch-callback.ts'),
  route('email/verify', 'routes/email/verify.tsx'),
  layout('routes/layouts/visitors.tsx', [
    route('auth', 'routes/auth/auth.ts'),
    route('auth/signup', 'routes/auth/signup.tsx'),
    route('auth/signin', 'routes/auth/signin.tsx'),
  ]),
  layout('routes/layouts/unverified.tsx', [route('email/unverified', 'routes/email/unverified.tsx')]),
  layout('routes/layouts/signed-in.tsx', [route('auth/signout', 'routes/auth/signout.tsx')]),
  layout('routes/layouts/verified.tsx', [
    route('dashboard', 'routes/dashboard/dashboard.tsx'),
    route('profile', 'routes/account/profile.tsx'),
    route('profile/password', 'routes/account/password.tsx'),
    route('steam/link', 'routes/steam/link.ts'),
    route('steam/callback', 'routes/steam/callback.ts'),
    route('steam/unlink', 'routes/steam/unlink.tsx'),
    route('twitch/unlink', 'routes/twitch/unlink.tsx'),
    route('items', 'routes/items/inventory.tsx'),
    route('items/custody', 'routes/items/custody.tsx'),
    route('items/deposit', 'routes/items/deposit.tsx'),
    route('items/return', 'routes/items/return.tsx'),
    route('transfers', 'routes/transfers/transfers.tsx'),
    route('transfers/:id/cancel', 'routes/transfers/cancel-transfer.tsx'),
    route('events', 'routes/events.ts'),
  ]),
  route('api/docs', 'routes/api/docs.tsx'),
  route('api/*', 'routes/api/api.ts'),
  route('sanctum/csrf-cookie', 'routes/api/api.ts', { id: 'csrf-cookie' }),
  // Without a route no middleware runs, so an unknown address has one too.
  route('*', 'routes/not-found.tsx'),
] satisfies RouteConfig;
