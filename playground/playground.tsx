import { explorerPlugin } from '@graphiql/plugin-explorer';
import { GraphiQL, HISTORY_PLUGIN } from 'graphiql';
import { useCallback, useEffect, useState } from 'react';
import { PanelNames, TabRoles } from './accessibility.ts';
import { EditorSettings, FirstRun, setPaneSizes, storage } from './editors.tsx';
import { examples } from './examples/examples.ts';
import { examplesPlugin } from './examples/examples-panel.tsx';
import { PageLinks } from './panels/page-links.tsx';
import { type Pane, PhoneBar } from './panels/phone-bar.tsx';
import { RunResult } from './panels/run-result.tsx';
import { ShareButton } from './panels/share-button.tsx';
import { isPhone } from './phone.ts';
import { fetcher } from './runs/fetcher.ts';
import { onRunChange, setOpenTabs } from './runs/run-store.ts';
import { sharedOperation } from './shared-operation.ts';

/** Title of the panel and of its button; the plugin calls itself Explorer, which is the name of another page. */
const BUILDER_TITLE = 'Query builder';

// Outside the component: GraphiQL closes the open plugin whenever it is given a new list.
const plugins = [examplesPlugin, HISTORY_PLUGIN, { ...explorerPlugin({ title: BUILDER_TITLE }), title: BUILDER_TITLE }];

const shared = sharedOperation(location);
const start = shared ?? { query: examples[0]!.query, variables: null };
const initialOperation = shared ? { initialQuery: shared.query, initialVariables: shared.variables ?? '' } : {};
// On a phone it would cover the first query.
const initialPlugin = isPhone() ? {} : { visiblePlugin: examplesPlugin.title };

setPaneSizes();

/** GraphiQL with examples, a list of events, and the cost of each run. */
export function Playground() {
  const [pane, setPane] = useState<Pane>('query');
  useEffect(() => onRunChange((isStarted) => setPane(isStarted ? 'response' : 'query')), []);
  // A phone shows the query of the first run, not its response.
  const showQuery = useCallback(() => setPane('query'), []);
  return (
    <GraphiQL
      className={`shows-${pane}`}
      fetcher={fetcher}
      plugins={plugins}
      storage={storage}
      {...initialPlugin}
      defaultTabs={[start]}
      {...initialOperation}
      onTabChange={setOpenTabs}
      defaultEditorToolsVisibility="variables"
      schemaDescription
      inputValueDeprecation
    >
      <GraphiQL.Logo>
        <PageLinks current="playground" />
      </GraphiQL.Logo>
      <GraphiQL.Toolbar>
        {({ prettify, merge, copy }) => (
          <>
            {prettify}
            {merge}
            {copy}
            <ShareButton />
          </>
        )}
      </GraphiQL.Toolbar>
      <GraphiQL.Footer>
        <RunResult />
      </GraphiQL.Footer>
      <EditorSettings />
      <TabRoles />
      <PanelNames />
      {!shared && <FirstRun onStart={showQuery} />}
      <PhoneBar pane={pane} onChange={setPane} />
    </GraphiQL>
  );
}
