import { index, type RouteConfig, route } from '@react-router/dev/routes';

export default [
  index('routes/landing/landing.tsx'),
  route('healthz', 'routes/health.ts'),
  route('language', 'routes/preferences/language.ts'),
  route('theme', 'routes/preferences/theme.ts'),
  // Without a route no middleware runs, so an unknown address has one too.
  route('*', 'routes/not-found.tsx'),
] satisfies RouteConfig;
