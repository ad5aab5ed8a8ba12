import { explorerPlugin } from '@graphiql/plugin-explorer';
import { useGraphiQL } from '@graphiql/react';
import { GraphiQL, HISTORY_PLUGIN } from 'graphiql';
import { useEffect, useState } from 'react';
import { examples } from './examples/examples.ts';
import { examplesPlugin } from './examples/examples-panel.tsx';
import { PageLinks } from './panels/page-links.tsx';
import { type Pane, PhoneBar } from './panels/phone-bar.tsx';
import { RunResult } from './panels/run-result.tsx';
import { isPhone } from './phone.ts';
import { fetcher } from './runs/fetcher.ts';
import { onRunChange, setOpenTabs } from './runs/run-store.ts';
import { sharedOperation } from './shared-operation.ts';

// Outside the component: GraphiQL closes the open plugin whenever it is given a new list.
const plugins = [examplesPlugin, HISTORY_PLUGIN, { ...explorerPlugin(), title: 'Query builder' }];

const shared = sharedOperation(location);
const start = shared ?? { query: examples[0]!.query, variables: null };
const initialOperation = shared ? { initialQuery: shared.query, initialVariables: shared.variables ?? '' } : {};
// On a phone it would cover the first query.
const initialPlugin = isPhone() ? {} : { visiblePlugin: examplesPlugin.title };

/** GraphiQL with examples, a list of events, and the cost of each run. */
export function Playground() {
  const [pane, setPane] = useState<Pane>('query');
  useEffect(() => onRunChange((isStarted) => setPane(isStarted ? 'response' : 'query')), []);
  return (
    <GraphiQL
      className={`shows-${pane}`}
      fetcher={fetcher}
      plugins={plugins}
      {...initialPlugin}
      defaultTabs={[start]}
      {...initialOperation}
      onTabChange={setOpenTabs}
      defaultEditorToolsVisibility="variables"
      schemaDescription
      inputValueDeprecation
    >
      <GraphiQL.Logo>
        <PageLinks />
      </GraphiQL.Logo>
      <GraphiQL.Toolbar>
        {({ prettify, merge, copy }) => (
          <>
            {prettify}
            {merge}
            {copy}
          </>
        )}
      </GraphiQL.Toolbar>
      <GraphiQL.Footer>
        <RunResult />
      </GraphiQL.Footer>
      <WrappedLines />
      <PhoneBar pane={pane} onChange={setPane} />
    </GraphiQL>
  );
}

/** Wraps the long lines of the editors, which have neither the width for them nor a scroll bar that a finger can move. */
function WrappedLines() {
  const { queryEditor, variableEditor } = useGraphiQL((state) => ({
    queryEditor: state.queryEditor,
    variableEditor: state.variableEditor,
  }));
  useEffect(() => {
    for (const editor of [queryEditor, variableEditor]) editor?.updateOptions({ wordWrap: 'on' });
  }, [queryEditor, variableEditor]);
  return null;
}
