import { reactRouter } from '@react-router/dev/vite';
import { defineConfig } from 'vite';

// light-dark() must reach the browser as it is written: these are the first versions that know it.
const browsers = ['chrome125', 'edge125', 'firefox128', 'safari17.5'];

export default defineConfig({
  plugins: [reactRouter()],
  server: { host: '127.0.0.1', port: Number(process.env.PORT ?? 3000), strictPort: true },
  build: { target: browsers, cssTarget: browsers },
  // The server loads what it uses of the icons, not all 1,700 modules of the package.
  environments: { ssr: { build: { sourcemap: true }, resolve: { noExternal: ['lucide-react'] } } },
});
