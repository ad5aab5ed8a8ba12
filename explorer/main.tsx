import './styles/theme.css';
import './styles/layout.css';
import './styles/content.css';
import './styles/charts.css';
import './styles/status.css';
import './styles/motion.css';
import './styles/tournament.css';
import '../playground/styles/caller-key.css';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { createRoot } from 'react-dom/client';
import { Route, Router, Switch } from 'wouter';
import { Layout } from './components/layout.tsx';
import { Notice } from './components/page.tsx';
import { basePath } from './graph/endpoint.ts';
import { LiveProvider } from './graph/live.tsx';
import { AddressPage } from './pages/address/view.tsx';
import { BlockPage } from './pages/block/view.tsx';
import { DuelPage } from './pages/duel/view.tsx';
import { HomePage } from './pages/home/view.tsx';
import { SearchPage } from './pages/search/view.tsx';
import { TokenPage } from './pages/token/view.tsx';
import { TournamentPage } from './pages/tournament/view.tsx';
import { TransactionPage } from './pages/transaction/view.tsx';
import { WizardPage } from './pages/wizard/view.tsx';

const queries = new QueryClient({ defaultOptions: { queries: { refetchOnWindowFocus: false, retryDelay: 1000, retry: 30 } } });

createRoot(document.getElementById('root')!).render(
  <QueryClientProvider client={queries}>
    <Router base={basePath}>
      <LiveProvider>
        <Layout>
          <Switch>
            <Route path="/" component={HomePage} />
            <Route path="/block/:id">{({ id }) => <BlockPage id={id} />}</Route>
            <Route path="/tx/:hash">{({ hash }) => <TransactionPage hash={hash} key={hash} />}</Route>
            <Route path="/address/:address">{({ address }) => <AddressPage address={address} key={address} />}</Route>
            <Route path="/token/:address">{({ address }) => <TokenPage address={address} key={address} />}</Route>
            <Route path="/tournament" component={TournamentPage} />
            <Route path="/wizard/:id">{({ id }) => <WizardPage id={id} key={id} />}</Route>
            <Route path="/duel/:id">{({ id }) => <DuelPage id={id} key={id} />}</Route>
            <Route path="/search/:text">{({ text }) => <SearchPage text={text} />}</Route>
            <Route>
              <main>
                <Notice>There is no such page.</Notice>
              </main>
            </Route>
          </Switch>
        </Layout>
      </LiveProvider>
    </Router>
  </QueryClientProvider>,
);
