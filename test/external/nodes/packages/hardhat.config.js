/** Nothing is compiled here: the contracts come from devnet/contracts/artifacts. */
module.exports = { solidity: '0.8.26', networks: { hardhat: { mining: { auto: true } } } };
