import { AccountLink } from './links.tsx';

interface DecodedValue {
  readonly name: string | null;
  readonly type: string;
  readonly value: string;
  readonly account: { readonly address: string; readonly label: string | null } | null;
}

/** The arguments of a call or of an event. */
export function DecodedArguments({ values }: { readonly values: readonly DecodedValue[] }) {
  return (
    <dl className="arguments">
      {values.map(({ name, type, value, account }, index) => (
        // Names may be missing or repeated, and the arguments of a call do not change.
        <div key={index}>
          <dt>
            {name ?? index} <small>{type}</small>
          </dt>
          <dd>{account ? <AccountLink account={account} /> : <code className="whole">{value}</code>}</dd>
        </div>
      ))}
    </dl>
  );
}
