interface AmountProps {
  /** The exact decimal number, which the browser shows as a hint. */
  readonly text: string;
  readonly format: (text: string) => string;
}

/** A rounded amount. */
export const Amount = ({ text, format }: AmountProps) => <span title={text}>{format(text)}</span>;
