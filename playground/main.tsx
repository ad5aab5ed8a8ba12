import './workers.ts';
import '@graphiql/react/font/roboto.css';
import '@graphiql/react/font/fira-code.css';
import '@graphiql/react/style.css';
import '@graphiql/plugin-doc-explorer/style.css';
import '@graphiql/plugin-history/style.css';
import '@graphiql/plugin-explorer/style.css';
import 'graphiql/graphiql.css';
import './style.css';
import { explorerPlugin } from '@graphiql/plugin-explorer';
import { createGraphiQLFetcher } from '@graphiql/toolkit';
import { GraphiQL, HISTORY_PLUGIN } from 'graphiql';
import { createRoot } from 'react-dom/client';
import { examples } from './examples.ts';
import { ExamplesMenu } from './examples-menu.tsx';
import mark from './mark.svg';

// Relative to the page, so that a proxy may mount both under a prefix.
const endpoint = new URL('graphql', location.href);

const fetcher = createGraphiQLFetcher({
  url: endpoint.href,
  subscriptionUrl: endpoint.href.replace(/^http/, 'ws'),
  enableIncrementalDelivery: false,
});

// Outside the component: GraphiQL closes the open plugin whenever it is given a new list.
const plugins = [HISTORY_PLUGIN, { ...explorerPlugin(), title: 'Explorer' }];

createRoot(document.getElementById('root')!).render(
  <GraphiQL
    fetcher={fetcher}
    plugins={plugins}
    defaultTabs={examples.map(({ query }) => ({ query }))}
    schemaDescription
    inputValueDeprecation
  >
    <GraphiQL.Logo>
      <div className="wordmark">
        <img src={mark} alt="" />
        Grimoire
      </div>
    </GraphiQL.Logo>
    <GraphiQL.Toolbar>
      {({ prettify, merge, copy }) => (
        <>
          {prettify}
          {merge}
          {copy}
          <ExamplesMenu />
        </>
      )}
    </GraphiQL.Toolbar>
  </GraphiQL>,
);
