import { createServer } from 'node:http';
import { listen } from '../http-helpers.ts';
import { accountAddresses } from '../scenarios.ts';

// A wizard service that responds at once: 100 wizards, each with another owner.

const wizards = accountAddresses.map((owner, i) => ({
  id: String(i + 1),
  owner,
  affinity: 2 + (i % 3),
  initialPower: '1000000000000000000',
  power: String(10n ** 18n + BigInt(i)),
  createdBlockNumber: 1 + i,
  eliminatedBlockNumber: null,
}));
const body = JSON.stringify({ wizards });

listen(
  createServer((request, response) => {
    request.resume();
    response.setHeader('content-type', 'application/json').end(request.url?.startsWith('/wizards') ? body : '{"duels":[]}');
  }),
);
