import type { Config } from '@react-router/dev/config';
import product from '../../../react-router.config.ts';

/** The page that the pages benchmark compares with: a separate build with the product's flags. */
export default {
  ...product,
  buildDirectory: '../../../node_modules/.cache/keepsake-trivial-page',
} satisfies Config;
