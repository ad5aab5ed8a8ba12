// Loaded into a process with --import: resolves the names of containers, which CONTAINER_ADDRESSES maps to loopback addresses.
import dns from 'node:dns';

const addresses = JSON.parse(process.env.CONTAINER_ADDRESSES);
const { lookup } = dns;

dns.lookup = (hostname, ...rest) => lookup(addresses[hostname] ?? hostname, ...rest);
