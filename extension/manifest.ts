import { placeFacts, places } from './places.ts';

/** The browsers that a package is made for. */
export const targets = ['chromium', 'firefox'] as const;
export type Target = (typeof targets)[number];

/** The id under which Firefox knows the extension. */
const geckoId = 'companion@keepsake.example';

/** Firefox shows its question for a permission under the panel, which therefore closes itself where it is the popup. */
const popups: Record<Target, string> = { chromium: 'panel.html', firefox: 'panel.html#popup' };

/**
 * The manifest for one browser. At install nothing but `storage` is asked for: pages of others, and the right to put a script
 * there, are asked for when somebody turns that on.
 */
export function manifestFor(target: Target, version: string): object {
  const background =
    target === 'chromium' ? { service_worker: 'background.js' } : { scripts: ['background.js'] };
  const gecko = {
    browser_specific_settings: {
      gecko: {
        id: geckoId,
        strict_min_version: '140.0',
        // The token goes to the site that its user has named; nothing of a page goes anywhere.
        data_collection_permissions: { required: ['authenticationInfo'] },
      },
      gecko_android: { strict_min_version: '142.0' },
    },
  };
  return {
    manifest_version: 3,
    name: '__MSG_name__',
    description: '__MSG_description__',
    version,
    default_locale: 'en',
    ...(target === 'chromium' ? { minimum_chrome_version: '123' } : gecko),
    icons: { 192: 'icon.png' },
    action: { default_popup: popups[target], default_icon: { 192: 'icon.png' } },
    options_ui: { page: 'panel.html', open_in_tab: true },
    background,
    permissions: ['storage'],
    optional_permissions: ['scripting'],
    optional_host_permissions: places.flatMap((place) => placeFacts[place].matches),
    content_security_policy: {
      extension_pages:
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src https: http://localhost:* http://127.0.0.1:*",
    },
  };
}
