import { useEffect, useState } from 'react';
import { hasKey } from '../caller-key.ts';
import { devnetUrl, docsUrl, explorerUrl } from '../endpoints.ts';
import mark from '../mark.svg';
import { devnet } from '../world/devnet.ts';

/** The name of the page, and links to the other pages of the server. */
export function PageLinks() {
  const [hasDevnet, setHasDevnet] = useState(false);
  useEffect(() => {
    // A link sends no key.
    devnet().then((description) => setHasDevnet(description !== null && !hasKey()));
  }, []);
  return (
    <div className="page-links">
      <span className="wordmark">
        <img src={mark} alt="" />
        Grimoire
      </span>
      <nav aria-label="Pages">
        <a href={explorerUrl}>Explorer</a>
        <a href={docsUrl}>Docs</a>
        {hasDevnet && (
          <a href={devnetUrl} title="Accounts, keys and contracts of the embedded network">
            Accounts
          </a>
        )}
      </nav>
    </div>
  );
}
