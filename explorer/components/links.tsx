import { shortHex } from '@grimoire/client';
import { Link } from 'wouter';
import { CopyButton } from './copy.tsx';
import { formatInteger } from './format.ts';

/** A hash or an address, shortened unless there is room for the whole. */
export const Hex = ({ value, whole = false }: { readonly value: string; readonly whole?: boolean }) => (
  <code title={value} className={whole ? 'whole' : undefined}>
    {whole ? value : shortHex(value, 5)}
  </code>
);

interface CopyableHexProps {
  readonly value: string;
  /** What is copied: `hash`. */
  readonly name: string;
  /** The page of the value; without one it is only text. */
  readonly href?: string | undefined;
}

/** The whole of a hash or an address with a button that copies it. */
export const CopyableHex = ({ value, name, href }: CopyableHexProps) => (
  <span className="copyable">
    {href ? (
      <Link href={href}>
        <Hex value={value} whole />
      </Link>
    ) : (
      <Hex value={value} whole />
    )}
    <CopyButton value={value} name={name} />
  </span>
);

interface NamedAccount {
  readonly address: string;
  readonly label?: string | null;
}

interface AccountLinkProps {
  readonly account: NamedAccount | null | undefined;
  /** Whether there is room for the whole address. */
  readonly whole?: boolean;
}

/** The contract that a transaction has created: the node also computes the address of a creation that was reverted. */
export const contractOf = <Contract,>(createdContract: Contract, status: string | null): Contract | null =>
  status === '0x0' ? null : createdContract;

/** A link to an account, with its name if it has one; the text "new contract" for none. */
export const AccountLink = ({ account, whole = false }: AccountLinkProps) =>
  account ? (
    <Link href={`/address/${account.address}`} title={account.address}>
      {account.label ?? <Hex value={account.address} whole={whole} />}
    </Link>
  ) : (
    <span className="muted">new contract</span>
  );

interface RecipientProps {
  readonly to: NamedAccount | null;
  readonly createdContract: NamedAccount | null;
  /** Of the receipt; null while pending. */
  readonly status: string | null;
}

/** A link to the recipient of a transaction, or to the contract that it has created. */
export const RecipientLink = ({ to, createdContract, status }: RecipientProps) => (
  <AccountLink account={to ?? contractOf(createdContract, status)} />
);

/** The name and the whole address of an account. */
export const WholeAccount = ({ account: { address, label } }: { readonly account: NamedAccount }) => (
  <>
    {label && <b>{label} </b>}
    <CopyableHex value={address} name="address" href={`/address/${address}`} />
  </>
);

export const BlockLink = ({ number }: { readonly number: string | number }) => (
  <Link href={`/block/${Number(number)}`} className="number">
    {formatInteger(number)}
  </Link>
);

export const BlockHashLink = ({ hash }: { readonly hash: string }) => (
  <Link href={`/block/${hash}`}>
    <Hex value={hash} />
  </Link>
);

export const TransactionLink = ({ hash }: { readonly hash: string }) => (
  <Link href={`/tx/${hash}`}>
    <Hex value={hash} />
  </Link>
);

/** A link to the account of a token. */
export const ContractLink = ({ address }: { readonly address: string }) => (
  <Link href={`/address/${address}?contract`}>
    <Hex value={address} />
  </Link>
);

interface NamedToken {
  readonly address: string;
  readonly symbol: string | null;
  readonly logo?: string | null;
}

/** A link to a token. Only an embedded logo is shown: the page sends no request to other hosts. */
export const TokenLink = ({ token }: { readonly token: NamedToken }) => (
  <Link href={`/token/${token.address}`} className="token">
    {token.logo?.startsWith('data:image/') && <img src={token.logo} alt="" width="18" height="18" />}
    {token.symbol ?? <Hex value={token.address} />}
  </Link>
);

export const WizardLink = ({ id }: { readonly id: string }) => <Link href={`/wizard/${id}`}>Wizard {id}</Link>;

/** A link to a duel by its whole id. */
export const DuelLink = ({ id }: { readonly id: string }) => (
  <Link href={`/duel/${id}`}>
    <Hex value={id} whole />
  </Link>
);
