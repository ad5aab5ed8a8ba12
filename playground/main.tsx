import './workers.ts';
import '@graphiql/react/font/fira-code.css';
import '@graphiql/react/style.css';
import '@graphiql/plugin-doc-explorer/style.css';
import '@graphiql/plugin-history/style.css';
import '@graphiql/plugin-explorer/style.css';
import 'graphiql/graphiql.css';
import './styles/theme.css';
import './styles/page.css';
import './styles/accounts.css';
import './styles/examples.css';
import './styles/response.css';
import './styles/phone.css';
import './styles/caller-key.css';
import { createRoot } from 'react-dom/client';
import { AccountsPage } from './accounts/accounts-page.tsx';
import { Playground } from './playground.tsx';
import { showNotice } from './runs/fetcher.ts';

// A link to another operation, or to the accounts, changes only the fragment.
addEventListener('hashchange', () => location.reload());

// The editors are loaded after the page.
addEventListener('vite:preloadError', () =>
  showNotice('The server cannot be reached. A part of this page is missing: load the page again.'),
);

/** The mode that the reader chose in the settings of GraphiQL, under the name with which GraphiQL stores it. */
function chosenMode(): string | null {
  try {
    return localStorage.getItem('graphiql:theme');
  } catch {
    // The browser forbids storage.
    return null;
  }
}

// GraphiQL sets it too, but the page of the accounts is without GraphiQL.
const mode = chosenMode();
if (mode) document.body.classList.add(`graphiql-${mode}`);

createRoot(document.getElementById('root')!).render(location.hash === '#accounts' ? <AccountsPage /> : <Playground />);
