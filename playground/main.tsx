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
import { createGraphiQLFetcher, type Fetcher } from '@graphiql/toolkit';
import { GraphiQL, HISTORY_PLUGIN } from 'graphiql';
import { createRoot } from 'react-dom/client';
import { examples } from './examples.ts';
import { ExamplesMenu } from './examples-menu.tsx';
import mark from './mark.svg';

// Relative to the page, so that a proxy may mount both under a prefix.
const endpoint = new URL('graphql', location.href);

const send = createGraphiQLFetcher({
  url: endpoint.href,
  subscriptionUrl: endpoint.href.replace(/^http/, 'ws'),
  enableIncrementalDelivery: false,
});

/** GraphiQL itself leaves the panes of the schema empty, without a reason, when it cannot read one. */
const fetcher: Fetcher = async (params, options) => {
  const result = await send(params, options);
  if (params.operationName !== 'IntrospectionQuery' || typeof result !== 'object' || !('errors' in result)) return result;
  const [error] = (result as { errors: readonly { message: string }[] }).errors;
  const notice = document.getElementById('notice')!;
  notice.textContent = `${error?.message} There is no completion and no documentation here; operations run as usual.`;
  notice.hidden = false;
  return result;
};

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
