import './styles/theme.css';
import './styles/layout.css';
import './styles/content.css';
import './styles/charts.css';
import './styles/status.css';
import './styles/motion.css';
import './styles/tournament.css';
import './styles/chains.css';
import '../playground/styles/caller-key.css';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { createRoot } from 'react-dom/client';
import { Route, Switch } from 'wouter';
import { ChainLinks } from './components/chain-links.tsx';
import { Layout } from './components/layout.tsx';
import { PlainPage } from './components/page.tsx';
import { NotFound, Problem } from './components/problem.tsx';
import { isAddress, isHash, isNumber, isWizardId, searchTextOf } from './data/search-text.ts';
import { pageChain } from './graph/chain.ts';
import { basePath } from './graph/endpoint.ts';
import { LiveProvider } from './graph/live.tsx';
import { AddressPage } from './pages/address/view.tsx';
import { BlockPage } from './pages/block/view.tsx';
import { BlocksPage } from './pages/blocks/view.tsx';
import { DuelPage } from './pages/duel/view.tsx';
import { HomePage } from './pages/home/view.tsx';
import { SearchPage } from './pages/search/view.tsx';
import { TokenPage } from './pages/token/view.tsx';
import { TokensPage } from './pages/tokens/view.tsx';
import { TournamentPage } from './pages/tournament/view.tsx';
import { TournamentsPage } from './pages/tournaments/view.tsx';
import { TransactionPage } from './pages/transaction/view.tsx';
import { TransactionsPage } from './pages/transactions/view.tsx';
import { WizardPage } from './pages/wizard/view.tsx';

const HASH = '0x and 64 hexadecimal digits';
const ADDRESS = '0x and 40 hexadecimal digits';
const BLOCK_ID = `a block number, or the hash of a block: ${HASH}`;
const WIZARD_ID = 'the number of a wizard';

/** A page at whose path there can be nothing. */
const InvalidPath = ({ accepted }: { readonly accepted: string }) => (
  <PlainPage title="Invalid path">
    <Problem kind="invalid" title={`The path must end with ${accepted}`}>
      Correct the path of this page, or search: press <kbd>/</kbd>.
    </Problem>
  </PlainPage>
);

const MAX_RETRY_DELAY_MS = 8_000;

const queries = new QueryClient({
  defaultOptions: {
    queries: {
      refetchOnWindowFocus: false,
      retry: true,
      retryDelay: (attempt) => Math.min(1_000 * 2 ** attempt, MAX_RETRY_DELAY_MS),
      // The state of the server is observed: the browser's own guess would pause the attempts.
      networkMode: 'always',
    },
  },
});

createRoot(document.getElementById('root')!).render(
  <QueryClientProvider client={queries}>
    <ChainLinks base={basePath} chain={pageChain}>
      <LiveProvider>
        <Layout>
          <Switch>
            <Route path="/" component={HomePage} />
            <Route path="/blocks" component={BlocksPage} />
            <Route path="/transactions" component={TransactionsPage} />
            <Route path="/block/:id">
              {({ id }) =>
                isNumber(id) || isHash(id) ? <BlockPage id={id.toLowerCase()} /> : <InvalidPath accepted={BLOCK_ID} />
              }
            </Route>
            <Route path="/tx/:hash">
              {({ hash }) =>
                isHash(hash) ? <TransactionPage hash={hash.toLowerCase()} key={hash} /> : <InvalidPath accepted={HASH} />
              }
            </Route>
            <Route path="/address/:address">
              {({ address }) =>
                isAddress(address) ? <AddressPage address={address} key={address} /> : <InvalidPath accepted={ADDRESS} />
              }
            </Route>
            <Route path="/token/:address">
              {({ address }) =>
                isAddress(address) ? <TokenPage address={address} key={address} /> : <InvalidPath accepted={ADDRESS} />
              }
            </Route>
            <Route path="/tokens" component={TokensPage} />
            <Route path="/tournament" component={TournamentPage} />
            <Route path="/tournaments" component={TournamentsPage} />
            <Route path="/wizard/:id">
              {({ id }) => (isWizardId(id) ? <WizardPage id={id} key={id} /> : <InvalidPath accepted={WIZARD_ID} />)}
            </Route>
            <Route path="/duel/:id">
              {({ id }) => (isHash(id) ? <DuelPage id={id.toLowerCase()} key={id} /> : <InvalidPath accepted={HASH} />)}
            </Route>
            <Route path="/search/:text">{({ text }) => <SearchPage text={searchTextOf(location.pathname)} key={text} />}</Route>
            <Route>
              <PlainPage title="Not found">
                <NotFound subject="page at this path">
                  Check the path, or search: press <kbd>/</kbd>.
                </NotFound>
              </PlainPage>
            </Route>
          </Switch>
        </Layout>
      </LiveProvider>
    </ChainLinks>
  </QueryClientProvider>,
);
