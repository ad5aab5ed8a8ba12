import { type GraphiQLPlugin, useGraphiQL, useGraphiQLActions } from '@graphiql/react';
import { type GraphQLSchema, parse, validate } from 'graphql';
import { useMemo, useState } from 'react';
import { isPhone } from '../phone.ts';
import { EXAMPLE_GROUPS, type Example } from './example.ts';
import { examples } from './examples.ts';
import { useExample } from './use-example.ts';

/** Whether the server has all fields of an example; true while its schema is unknown. */
const isServed = ({ query }: Example, schema: GraphQLSchema | null | undefined): boolean =>
  !schema || validate(schema, parse(query)).length === 0;

const KIND_LABELS = { query: null, mutation: 'mutation', subscription: 'live' } as const;

function ExamplesPanel() {
  const schema = useGraphiQL((state) => state.schema);
  const served = useMemo(() => examples.filter((example) => isServed(example, schema)), [schema]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: readers scroll it with the keyboard while its buttons are disabled
    <section className="examples" aria-label="Examples" tabIndex={0}>
      <h2>Examples</h2>
      <p>A click runs an example on this server, with variables from its chain. A mutation waits for you to run it.</p>
      {EXAMPLE_GROUPS.map((group) => (
        <Group key={group} title={group} members={served.filter((example) => example.group === group)} />
      ))}
    </section>
  );
}

function Group({ title, members }: { readonly title: string; readonly members: readonly Example[] }) {
  if (members.length === 0) return null;
  return (
    <section>
      <h3>{title}</h3>
      <ul>
        {members.map((example) => (
          <li key={example.operationName}>
            <ExampleButton example={example} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function ExampleButton({ example }: { readonly example: Example }) {
  const show = useExample();
  const { setVisiblePlugin } = useGraphiQLActions();
  const activeQuery = useGraphiQL(({ tabs, activeTabIndex }) => tabs[activeTabIndex]?.query);
  const hasEditors = useGraphiQL((state) => Boolean(state.queryEditor && state.variableEditor && state.responseEditor));
  const [isLoading, setLoading] = useState(false);
  const onClick = async () => {
    setLoading(true);
    const isShown = await show(example);
    setLoading(false);
    // The panel covers the editors.
    if (isShown && isPhone()) setVisiblePlugin(null);
  };
  const label = KIND_LABELS[example.kind];
  return (
    <button
      type="button"
      aria-current={activeQuery === example.query ? 'true' : undefined}
      aria-busy={isLoading}
      disabled={isLoading || !hasEditors}
      onClick={onClick}
    >
      {example.title}
      {label && <small>{label}</small>}
    </button>
  );
}

const ListIcon = () => (
  <svg viewBox="0 0 24 24" fill="none" stroke="currentColor" aria-hidden="true">
    <path strokeWidth="1.75" strokeLinecap="round" d="M9 6h11M9 12h11M9 18h11M4 6h.01M4 12h.01M4 18h.01" />
  </svg>
);

/** The panel of the grouped examples. */
export const examplesPlugin: GraphiQLPlugin = { title: 'Examples', icon: ListIcon, content: ExamplesPanel };
