import { z } from 'zod';
import { twitchLinkStates } from '#db/schema/account.ts';
import { locales, themes } from '#db/schema/user.ts';
import { defineResource } from './resource.ts';
import { momentOrNull } from './shapes.ts';

// The API's resources for the caller's own account.

export const users = defineResource({
  type: 'users',
  attributes: z.strictObject({
    name: z.string(),
    email: z.string(),
    verified: z.boolean(),
    settings: z.strictObject({
      language: z.enum(locales),
      theme: z.enum(themes),
      notify_by_mail: z.boolean(),
      /** `next_hours` is in force from `next_at` on; both are null if no shorter delay was chosen. */
      send_delay: z.strictObject({
        hours: z.int(),
        next_hours: z.int().nullable(),
        next_at: momentOrNull,
      }),
    }),
  }),
  relationships: {
    steamAccount: { type: 'steam-accounts', many: false },
    twitchAccount: { type: 'twitch-accounts', many: false },
  },
});

export const steamAccounts = defineResource({
  type: 'steam-accounts',
  attributes: z.strictObject({ persona_name: z.string(), trade_link: z.string().nullable() }),
});

export const twitchAccounts = defineResource({
  type: 'twitch-accounts',
  attributes: z.strictObject({
    login: z.string(),
    display_name: z.string(),
    picture_url: z.string(),
    state: z.enum(twitchLinkStates),
    missing_permissions: z.array(z.string()),
    streaming_features_enabled: z.boolean(),
  }),
});

export const twitchSignIns = defineResource({
  type: 'twitch-sign-ins',
  attributes: z.strictObject({ url: z.url() }),
});

export const apiTokens = defineResource({
  type: 'api-tokens',
  attributes: z.strictObject({ token: z.string() }),
});
