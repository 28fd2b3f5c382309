import { createHash } from 'node:crypto';
import type { EntryContext } from 'react-router';
import { config } from '#app/config.server.ts';
import type { Language } from '#app/locales/languages.ts';
import type { TextKey, TextValues } from '#app/locales/translation.ts';
import type { ChannelPage } from '#app/services/channels/channel-page.server.ts';
import type { PublicRulePage } from '#app/services/channels/rule-page.server.ts';
import { PICTURE_SIZE } from '#app/services/share/share-picture.ts';
import { translations } from '#app/services/translations.server.ts';
import type { DrawProof, RuleProof } from '#domain/view/get-proof.ts';
import type { Win } from '#domain/view/get-win.ts';

/** A public page as others link to it. */
interface PublicPage {
  /** Its only address, whichever way it was reached. */
  path: string;
  /** Omitted where the page names it itself. */
  description?: readonly [key: TextKey, values?: TextValues];
  /** The name of its picture below /share and the language; the site's if omitted. */
  picture?: {
    path: string;
    alt: readonly [key: TextKey, values?: TextValues];
    /**
     * The content of the picture, which gives it another address when it changes: other sites cache pictures
     * by their address.
     */
    shows: unknown;
  };
}

type Loaded = {
  page?: ChannelPage;
  found?: PublicRulePage;
  proof?: RuleProof;
  rule?: RuleProof;
  draw?: DrawProof;
  win?: Win;
};

const sitePicture: NonNullable<PublicPage['picture']> = {
  path: 'site',
  alt: ['share.picture.site'],
  shows: null,
};

const plain = (path: string, description?: TextKey): PublicPage =>
  description ? { path, description: [description] } : { path };

const fixed: Record<string, PublicPage> = {
  'routes/landing/landing': plain('/'),
  'routes/documents/faq': plain('/faq', 'share.description.faq'),
  'routes/documents/terms': plain('/terms_of_service', 'share.description.terms'),
  'routes/documents/privacy': plain('/privacy_policy', 'share.description.privacy'),
  'routes/documents/cookies': plain('/cookie_policy', 'share.description.cookies'),
  help: plain('/contact_us', 'share.description.contact'),
  contact_us: plain('/contact_us', 'share.description.contact'),
  'routes/auth/signin': plain('/auth/signin', 'share.description.signin'),
  'routes/auth/signup': plain('/auth/signup', 'share.description.signup'),
  'routes/api/docs': plain('/api/docs', 'share.description.apiDocs'),
};

function channelPage({ page }: Loaded): PublicPage | null {
  if (!page) return null;
  const { channel, offers } = page;
  return {
    path: `/channels/${channel.login}`,
    picture: {
      path: `channels/${channel.login}`,
      alt: ['share.picture.channel', { channel: channel.displayName }],
      shows: [channel.displayName, offers.map(({ id, pool, kinds }) => [id, pool.free, kinds])],
    },
  };
}

function rulePage({ found }: Loaded): PublicPage | null {
  if (!found) return null;
  const { channel, rule } = found;
  const names = { channel: channel.displayName, rule: rule.name };
  return {
    path: `/channels/${channel.login}/${rule.id}`,
    description: ['share.description.rule', names],
    picture: {
      path: `channels/${channel.login}/${rule.id}`,
      alt: ['share.picture.rule', names],
      shows: [channel.displayName, rule],
    },
  };
}

function proofPage({ proof, rule = proof, draw }: Loaded): PublicPage | null {
  if (!rule) return null;
  const names = { channel: rule.channelName, rule: rule.ruleName, number: draw?.number ?? 0 };
  const path = draw ? `${rule.ruleId}/${draw.number}` : rule.ruleId;
  return {
    path: `/proof/${path}`,
    description: [draw ? 'share.description.draw' : 'share.description.proof', names],
    picture: {
      path: `proof/${path}`,
      alt: ['share.picture.proof', names],
      shows: [rule.ruleName, rule.state, draw ? draw.fingerprint : rule.head],
    },
  };
}

function winPage({ win }: Loaded): PublicPage | null {
  if (!win || win.isHidden || win.status === 'reversed') return null;
  const { item, channel, viewerName } = win;
  const names = { item: item.name, channel: channel.displayName };
  return {
    path: `/wins/${win.id}`,
    description: ['share.description.win', names],
    picture: {
      path: `wins/${win.id}`,
      alt: ['share.picture.win', names],
      shows: [names, viewerName],
    },
  };
}

const loaded: Record<string, (data: Loaded) => PublicPage | null> = {
  'routes/channels/channel-page': channelPage,
  'routes/channels/rule-page': rulePage,
  'routes/proof/rule-proof': proofPage,
  'routes/proof/draw-proof': proofPage,
  'routes/wins/win': winPage,
};

/** The public page that a request ended on; null for all others, and for refusals. */
function pageOf({
  statusCode,
  matches,
  loaderData,
}: EntryContext['staticHandlerContext']): PublicPage | null {
  const id = matches.at(-1)?.route.id ?? '';
  if (statusCode !== 200) return null;
  return fixed[id] ?? loaded[id]?.((loaderData[id] ?? {}) as Loaded) ?? null;
}

const versionOf = (shown: unknown): string =>
  createHash('sha256').update(JSON.stringify(shown)).digest('base64url').slice(0, 10);

const places: Record<Language, string> = { en: 'en_GB', ru: 'ru_RU' };

/**
 * The head of a page for others than its reader: how it is installed and, for a public page, its address, its
 * subject, and its picture. Only the server renders it.
 */
export function headOf(handled: EntryContext['staticHandlerContext'], language: Language) {
  const page = pageOf(handled);
  return (
    <>
      <link rel="manifest" href={`/manifest/${language}.webmanifest`} />
      {page && publicHead(page, language)}
    </>
  );
}

function publicHead(page: PublicPage, language: Language) {
  const { t } = translations(language);
  const { publicUrl } = config();
  const address = new URL(page.path, publicUrl).href;
  const picture = page.picture ?? sitePicture;
  const version = picture.shows === null ? '' : `?v=${versionOf(picture.shows)}`;
  const image = new URL(`/share/${language}/${picture.path}.png${version}`, publicUrl).href;
  const description = page.description && t(...page.description);
  return (
    <>
      <link rel="canonical" href={address} />
      {description && <meta name="description" content={description} />}
      {description && <meta property="og:description" content={description} />}
      <meta property="og:type" content="website" />
      <meta property="og:site_name" content={t('common.name')} />
      <meta property="og:url" content={address} />
      <meta property="og:locale" content={places[language]} />
      <meta property="og:image" content={image} />
      <meta property="og:image:type" content="image/png" />
      <meta property="og:image:width" content={String(PICTURE_SIZE.width)} />
      <meta property="og:image:height" content={String(PICTURE_SIZE.height)} />
      <meta property="og:image:alt" content={t(...picture.alt)} />
      <meta name="twitter:card" content="summary_large_image" />
    </>
  );
}
