import { data, Form, redirect } from 'react-router';
import { Callout } from '#app/components/feedback/callout.tsx';
import { Code } from '#app/components/feedback/code.tsx';
import { ButtonLink, SubmitButton } from '#app/components/forms/button.tsx';
import { MessageCircle } from '#app/components/icons/signs.ts';
import { SealedSeed } from '#app/components/rules/sealed-seed.tsx';
import { Link } from '#app/components/shell/link.tsx';
import { PageHead, SectionHead } from '#app/components/shell/page-head.tsx';
import { Sheet } from '#app/components/shell/sheet.tsx';
import { useSpanText } from '#app/components/text/amounts.tsx';
import { useTimeText } from '#app/components/text/local-time.tsx';
import { LinkedText, useTranslation } from '#app/components/text/translation.tsx';
import { config } from '#app/config.server.ts';
import { requireVerifiedAccount } from '#app/middleware/guards.server.ts';
import { nudgeBot } from '#app/services/bot-client.server.ts';
import { canSpeak } from '#app/services/channels/can-speak.server.ts';
import { ruleLine } from '#app/services/channels/rule-line.server.tsx';
import { domainNow } from '#app/services/clock.server.ts';
import { database } from '#app/services/database.server.ts';
import { redirectWithToast } from '#app/services/toast.server.ts';
import { listChatLogins } from '#domain/account/twitch/list-chat-logins.ts';
import { getChatSettings } from '#domain/channel/get-chat-settings.ts';
import { ANNOUNCE_AGAIN_AFTER_MS, announceRule } from '#domain/rule/announce-rule.ts';
import { findPublicPage } from '#domain/rule/find-public-page.ts';
import { getRule } from '#domain/rule/list-rules.ts';
import { getRuleProof } from '#domain/view/get-proof.ts';
import { ModeratorRole } from '../channel/moderator-role.tsx';
import type { Route } from './+types/announce-rule.ts';
import { CopyButton } from './copy-button.tsx';
import { RulePicture } from './rule-picture.tsx';
import './announce-rule.css';

/** The rule, its public page, and the line about it; a 404 for a rule of somebody else. */
async function readRule(ruleId: string, ownerId: string) {
  const db = await database();
  const [rule, page] = await Promise.all([
    getRule(db, { ruleId, ownerId }),
    findPublicPage(db.read, { ruleId, ownerId }),
  ]);
  if (!rule || !page) throw data(null, { status: 404 });
  const path = page.login === null ? null : `/channels/${encodeURIComponent(page.login)}/${rule.id}`;
  const url = path && new URL(path, config().publicUrl).href;
  return { rule, path, url, line: await ruleLine(db, rule, url), announcedAtMs: page.announcedAtMs };
}

export async function loader({ params, context }: Route.LoaderArgs) {
  const { id: ownerId, twitch } = await requireVerifiedAccount(context);
  const { rule, path, url, line, announcedAtMs } = await readRule(params.id, ownerId);
  if (rule.state === 'closed') throw redirect(`/rules/${rule.id}`);
  const db = await database();
  const [chat, speaks, speakers, proof] = await Promise.all([
    getChatSettings(db.read, rule.channelId),
    canSpeak(rule.channelId),
    listChatLogins(db.read),
    getRuleProof(db, rule.id),
  ]);
  const { id, name, type, state, channelName, countsFromMs, claimTimeoutHours } = rule;
  const { watchMinutes, watchScope } = rule;
  return {
    rule: { id, name, type, state, channelName, countsFromMs, claimTimeoutHours, watchMinutes, watchScope },
    ...{ path, url, line, proof, announcedAtMs },
    isOwnChat: twitch?.id === rule.channelId,
    announcesPromises: chat?.announcesPromises ?? false,
    canPost: state === 'open' && speaks,
    speakers,
    wasJustAnnounced: announcedAtMs !== null && (await domainNow()) < announcedAtMs + ANNOUNCE_AGAIN_AFTER_MS,
  };
}

const refusals = { notOpen: 'announce.notOpen', notYourChat: 'announce.notYourChat' } as const;

/** Has the bot post the line. A second click within minutes posts nothing more. */
export async function action({ params, context }: Route.ActionArgs) {
  const { id: userId } = await requireVerifiedAccount(context);
  const { rule, line } = await readRule(params.id, userId);
  const page = `/rules/${rule.id}/announce`;
  const db = await database();
  if (!(await canSpeak(rule.channelId)))
    return redirectWithToast(page, { type: 'danger', title: 'announce.silent' });
  const announced = await announceRule(db, { ruleId: rule.id, userId, line }, await domainNow());
  if (!announced.ok) {
    if (announced.code === 'notFound') throw data(null, { status: 404 });
    return redirectWithToast(page, { type: 'danger', title: refusals[announced.code] });
  }
  nudgeBot();
  return redirectWithToast(page, { type: 'success', title: 'announce.postedToast' });
}

type Data = Route.ComponentProps['loaderData'];

/** The line for the chat. Where the bot cannot post it, copying comes first. */
function ChatLine({
  rule,
  line,
  isOwnChat,
  canPost,
  announcedAtMs,
  wasJustAnnounced,
  announcesPromises,
  speakers,
}: Data) {
  const { t } = useTranslation();
  const time = useTimeText();
  const posts = isOwnChat && canPost;
  return (
    <Sheet title={t('announce.chat')}>
      <p className="announce__line">{line}</p>
      <Form method="post" className="line">
        {posts && !wasJustAnnounced && (
          <SubmitButton icon={MessageCircle}>
            {t(announcedAtMs === null ? 'announce.post' : 'announce.postAgain')}
          </SubmitButton>
        )}
        <CopyButton text={line} label={t('announce.copyLine')} kind={posts ? 'quiet' : 'primary'} />
      </Form>
      {announcedAtMs !== null && (
        <p role="status">
          {wasJustAnnounced
            ? t('announce.posted', { time: time(announcedAtMs, 'time') })
            : t('announce.postedBefore', { date: time(announcedAtMs) })}
        </p>
      )}
      <p className="s13 muted">
        {posts
          ? t('announce.once')
          : isOwnChat
            ? rule.state === 'open' && (
                <>
                  {t('announce.silent')} <Link to="/channel">{t('announce.fix')}</Link>
                </>
              )
            : t('announce.otherChat', { channel: rule.channelName })}
      </p>
      {isOwnChat && (
        <p className="s13 muted">
          <LinkedText
            text={announcesPromises ? 'announce.promises' : 'announce.promisesOff'}
            links={{ channel: <Link to="/channel" /> }}
          />
        </p>
      )}
      {isOwnChat && <ModeratorRole speakers={speakers} />}
    </Sheet>
  );
}

function Next({ rule }: Pick<Data, 'rule'>) {
  const { t } = useTranslation();
  const time = useTimeText();
  const spanOf = useSpanText();
  const span = spanOf(rule.claimTimeoutHours * 3600);
  const counts =
    rule.watchMinutes === null
      ? t('announce.inLine')
      : rule.watchScope === 'allTime'
        ? t('announce.countsAll')
        : rule.countsFromMs === null
          ? t('announce.countsAsked')
          : t('announce.countsSince', { date: time(rule.countsFromMs) });
  const steps = [
    {
      title: t('announce.now'),
      text: rule.watchMinutes === null ? counts : `${counts} ${t('channelPage.inChat')}`,
    },
    {
      title: t('announce.met'),
      text: t(rule.type === 'random' ? 'announce.metRandom' : 'announce.metOne', { span }),
    },
    { title: t('announce.low'), text: t('announce.lowText') },
  ];
  return (
    <section>
      <SectionHead title={t('announce.next')} />
      <ol className="announce__next">
        {steps.map(({ title, text }) => (
          <li key={title}>
            <b>{title}</b>
            <p className="s13 muted">{text}</p>
          </li>
        ))}
      </ol>
    </section>
  );
}

export default function AnnounceRule({ loaderData }: Route.ComponentProps) {
  const { t } = useTranslation();
  const { rule, path, url, proof } = loaderData;
  return (
    <>
      <PageHead
        title={rule.state === 'open' ? t('announce.title') : t('announce.act')}
        above={[
          { to: '/rules', label: t('rules.title') },
          { to: `/rules/${rule.id}`, label: rule.name },
        ]}
        actions={
          <ButtonLink kind="quiet" to={`/rules/${rule.id}`}>
            {t('announce.toRule')}
          </ButtonLink>
        }
      />
      <div className="stack stack-12">
        {rule.state !== 'open' && (
          <Callout type="warning">
            <p>{t('announce.notOpen')}</p>
          </Callout>
        )}
        <div className="announce">
          <div className="stack">
            {rule.state === 'open' && <RulePicture ruleId={rule.id} path={path} />}
            {proof && <SealedSeed proof={proof} />}
          </div>
          <div className="stack">
            <ChatLine {...loaderData} />
            {rule.state === 'open' && url !== null && (
              <Sheet title={t('announce.link')}>
                <Code>{url}</Code>
              </Sheet>
            )}
          </div>
        </div>
        <Next rule={rule} />
      </div>
    </>
  );
}
