// Signs a transfer and submits it to the network: node examples/send-transaction.mjs [http://127.0.0.1:4000]
// The key never leaves this program; the graph receives only the signed bytes.
import { parseEther, Wallet } from 'ethers';

const base = process.argv[2] ?? 'http://127.0.0.1:4000';

/** Executes an operation; throws an error with the code of the first error. */
async function execute(query, variables) {
  const response = await fetch(`${base}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query, variables }),
  });
  const { data, errors } = await response.json();
  if (errors) throw new Error(`${errors[0].extensions.code}: ${errors[0].message}`);
  return data;
}

// The embedded chain publishes its development keys; on other chains use your own key.
const { accounts } = await (await fetch(`${base}/devnet.json`)).json();
const [wallet, recipient] = [new Wallet(accounts.at(-1).privateKey), accounts[0].address];

const { chainID, gasPrice, account } = await execute(
  'query Before($address: Address!) { chainID gasPrice account(address: $address) { transactionCount } }',
  { address: wallet.address },
);
const data = await wallet.signTransaction({
  chainId: chainID,
  nonce: Number(account.transactionCount),
  gasPrice: 2n * BigInt(gasPrice),
  gasLimit: 21_000,
  to: recipient,
  value: parseEther('0.01'),
});
const { sendRawTransaction: hash } = await execute('mutation Send($data: Bytes!) { sendRawTransaction(data: $data) }', { data });
console.log(`sent ${hash}`);

for (;;) {
  const { receipt } = await execute('query Mined($hash: Bytes32!) { receipt(hash: $hash) { succeeded blockNumber gasUsed } }', {
    hash,
  });
  if (receipt) {
    console.log(
      `mined in block ${Number(receipt.blockNumber)}, succeeded: ${receipt.succeeded}, gas: ${Number(receipt.gasUsed)}`,
    );
    break;
  }
  await new Promise((resolve) => setTimeout(resolve, 200));
}
