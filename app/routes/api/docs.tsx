import { openApiPath } from '#app/api/table.server.ts';
import { type Column, Table } from '#app/components/lists/table.tsx';
import { PageHead, SectionHead } from '#app/components/shell/page-head.tsx';
import { PublicShell } from '#app/components/shell/public-shell.tsx';
import { Sheet } from '#app/components/shell/sheet.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import type { Route } from './+types/docs.ts';
import { Confirming } from './confirming.tsx';
import { describeAreas, describeResources, listConfirmedCalls } from './described.server.ts';
import './docs.css';
import type { PageHandle } from '#app/components/shell/page-handle.ts';
import { OnlyOnSite } from './only-on-site-list.tsx';

export const handle: PageHandle = { plain: true };

/** The table of the API's calls, as the page shows it. */
export const loader = () => ({
  described: describeAreas(),
  confirmed: listConfirmedCalls(),
  resources: describeResources(),
  openApiPath,
});

type Shown = Awaited<ReturnType<typeof loader>>;
type Call = Shown['described'][number]['calls'][number];
type Resource = Shown['resources'][number];

const anchorOf = (type: string) => `resource-${type}`;

/** The resource types that a call returns, each with a link to its attributes. */
function Answers({ types }: { types: readonly string[] }) {
  const { t } = useTranslation();
  if (types.length === 0) return null;
  return (
    <span className="api-codes">
      {t('api.docs.answer')}
      {types.map((type) => (
        <a key={type} href={`#${anchorOf(type)}`}>
          <code>{type}</code>
        </a>
      ))}
    </span>
  );
}

function Codes({ of }: { of: readonly string[] }) {
  if (of.length === 0) return '–';
  return (
    <span className="api-codes">
      {of.map((code) => (
        <code key={code}>{code}</code>
      ))}
    </span>
  );
}

function useColumns(): Column<Call>[] {
  const { t } = useTranslation();
  return [
    {
      key: 'endpoint',
      label: t('api.docs.endpoint'),
      cell: ({ name, method, path, access, answers }) => (
        <div className="api-call" id={name}>
          <code>
            <strong>{method}</strong> {path}
          </code>
          <span>{t(`apiCalls.${name}`)}</span>
          <span className="s13 muted">{t(`api.docs.access.${access}`)}</span>
          <Answers types={answers} />
        </div>
      ),
    },
    {
      key: 'fields',
      label: t('api.docs.fields'),
      cell: ({ fields }) => (
        <Codes
          of={fields.map(({ name, optional }) => (optional ? `${name} ${t('api.docs.optional')}` : name))}
        />
      ),
    },
    { key: 'parameters', label: t('api.docs.parameters'), cell: (call) => <Codes of={call.parameters} /> },
    { key: 'refusals', label: t('api.docs.refusals'), cell: ({ refusals }) => <Codes of={refusals} /> },
  ];
}

function useResourceColumns(): Column<Resource>[] {
  const { t } = useTranslation();
  return [
    {
      key: 'resource',
      label: t('api.docs.resource'),
      cell: ({ type }) => (
        <div className="api-call" id={anchorOf(type)}>
          <code>
            <strong>{type}</strong>
          </code>
          <span>{t(`apiResources.${type}`)}</span>
        </div>
      ),
    },
    {
      key: 'attributes',
      label: t('api.docs.attributes'),
      cell: ({ attributes }) => <Codes of={attributes} />,
    },
    {
      key: 'relationships',
      label: t('api.docs.relationships'),
      cell: ({ relationships }) => <Codes of={relationships} />,
    },
  ];
}

export default function ApiDocs({ loaderData }: Route.ComponentProps) {
  const { t } = useTranslation();
  const columns = useColumns();
  const resourceColumns = useResourceColumns();
  const { described, confirmed, resources, openApiPath: address } = loaderData;
  return (
    <PublicShell>
      <div className="wrap stack stack-8 api-page">
        <PageHead
          title={t('api.docs.title')}
          lede={
            <>
              {t('api.docs.lede')}{' '}
              <a href={address}>
                <code>{address}</code>
              </a>
            </>
          }
        />
        <Sheet title={t('api.docs.signingIn')}>
          {(['cookies', 'tokens', 'bodies', 'lists', 'repeats', 'links'] as const).map((key) => (
            <p key={key}>{t(`api.docs.${key}`)}</p>
          ))}
        </Sheet>
        <Confirming calls={confirmed} />
        <OnlyOnSite />
        {described.map(({ area, calls }) => (
          <section key={area}>
            <SectionHead title={<code>{area}</code>} />
            <div className="sheet">
              <Table caption={area} columns={columns} rows={calls} rowKey={({ name }) => name} />
            </div>
          </section>
        ))}
        <section>
          <SectionHead title={t('api.docs.resources')} />
          <div className="sheet">
            <Table
              caption={t('api.docs.resources')}
              columns={resourceColumns}
              rows={resources}
              rowKey={({ type }) => type}
            />
          </div>
        </section>
      </div>
    </PublicShell>
  );
}
