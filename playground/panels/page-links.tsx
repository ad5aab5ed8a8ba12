import { useEffect, useState } from 'react';
import { accountsUrl, docsUrl, explorerUrl, playgroundUrl } from '../endpoints.ts';
import mark from '../mark.svg';
import { devnet } from '../world/devnet.ts';

/** The name of the page, and links to the other pages of the server. */
export function PageLinks({ current }: { readonly current: 'playground' | 'accounts' }) {
  const [hasDevnet, setHasDevnet] = useState(current === 'accounts');
  useEffect(() => {
    devnet().then((description) => setHasDevnet(description !== null));
  }, []);
  const Name = current === 'playground' ? 'h1' : 'span';
  return (
    <div className="page-links">
      <Name className="wordmark">
        <img src={mark} alt="" />
        Grimoire
      </Name>
      <nav aria-label="Pages">
        {current === 'accounts' && <a href={playgroundUrl}>Playground</a>}
        <a href={explorerUrl}>Explorer</a>
        <a href={docsUrl}>Docs</a>
        {hasDevnet && (
          <a href={accountsUrl} aria-current={current === 'accounts' ? 'page' : undefined}>
            Accounts
          </a>
        )}
      </nav>
    </div>
  );
}
