import type { ReactNode } from 'react';
import { Router } from 'wouter';
import { linkOnChain, pageChain } from '../graph/chain.ts';

interface ChainLinksProps {
  /** The path before those of the links. */
  readonly base?: string;
  readonly chain: string | null;
  readonly children: ReactNode;
}

/** Makes all links of its contents lead to pages of a chain. */
export const ChainLinks = ({ base = '', chain, children }: ChainLinksProps) => (
  <Router
    base={base}
    hrefs={(href) => linkOnChain(href, chain)}
    aroundNav={(navigate, to, options) =>
      chain === pageChain ? navigate(linkOnChain(to, chain), options) : location.assign(linkOnChain(to, chain))
    }
  >
    {children}
  </Router>
);
