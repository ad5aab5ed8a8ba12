import type { NodeServiceEndpoints } from './node-service/index.ts';
import type { TournamentLandmarks } from './tournament/history.ts';
import type { DevnetAccount } from './world/accounts.ts';
import type { TokenList } from './world/token-list.ts';
import type { DevnetToken } from './world/tokens.ts';

/** A token contract of the generated history and its creation. */
export interface DevnetContract extends DevnetToken {
  /** The transaction that created it. */
  readonly transactionHash: string;
  readonly blockNumber: number;
}

/** The wizard tournament's contract: wizards are its ERC-721 tokens. */
export interface DevnetTournament {
  /** Lower case; equal for every seed. */
  readonly address: string;
  /** The transaction that created it. */
  readonly transactionHash: string;
  readonly blockNumber: number;
}

/** The wizard service and the credentials for it. */
export interface DevnetWizardService {
  readonly url: string;
  /** Value of the header `x-api-token`. */
  readonly token: string;
  /** Value of the header `x-email`. */
  readonly email: string;
  /** Control URL for its faults; its path is random for each start. */
  readonly control: string;
}

/** The service that sends signed notifications to the graph, and the application that they belong to. */
export interface DevnetNotificationService {
  /** Name of the application. */
  readonly app: string;
  /** Its auth token, the key of the signatures; random for each start. */
  readonly token: string;
  readonly network: string;
  /** The registered addresses, lower case. */
  readonly addresses: readonly string[];
}

/** A webhook that is registered for the embedded receiver. */
export interface DevnetWebhook {
  readonly id: string;
  readonly type: string;
}

/** The receiver of registered webhooks. */
export interface DevnetWebhookReceiver {
  /** Receives deliveries with POST; GET returns the last deliveries. */
  readonly url: string;
  /** Application that owns the webhooks. */
  readonly app: string;
  /** Empty until the graph has registered them. */
  readonly webhooks: readonly DevnetWebhook[];
}

/** Examples of each kind of data: blocks by number, transactions by hash, all up to `lastBlock`. */
export interface DevnetLandmarks extends TournamentLandmarks {
  /** 240 transactions. */
  readonly crowdedBlock: number;
  /** No transactions. */
  readonly emptyBlock: number;
  /** A token transfer above the sender's balance: status 0. */
  readonly revertedTransaction: string;
  /** Ether transfer of type 0. */
  readonly legacyTransaction: string;
  /** A token transfer of type 1 whose access list names two storage slots. */
  readonly accessListTransaction: string;
  /** Ether transfer of type 2. */
  readonly feeMarketTransaction: string;
  /** Creation of the first token. */
  readonly contractCreation: string;
  /** One Transfer event. */
  readonly tokenTransfer: string;
  /** One Approval event. */
  readonly approval: string;
  /** The last block of the generated history; later blocks have the current time. */
  readonly lastBlock: number;
}

/** The embedded network as JSON, served at `/devnet.json` by the graph and by the node service, whose origin is the value for DEVNET_URL. */
export interface DevnetDescription {
  readonly chainId: number;
  readonly seed: number;
  /** Seconds between blocks; null if the chain mines each submitted transaction at once. */
  readonly blockTime: number | null;
  /** Anvil itself, without a key and with all of its methods: for tests and tools that mine or set the clock. */
  readonly endpoints: { readonly http: string; readonly ws: string };
  /**
   * The node service in front of anvil, with its key: the graph and other clients use it. `control` makes reorgs and switches faults. It is
   * public here because everything listens on loopback; its path is random for each start, so that web pages cannot guess it.
   */
  readonly nodeService: NodeServiceEndpoints;
  readonly wizardService: DevnetWizardService;
  /** Null without activity. */
  readonly notificationService: DevnetNotificationService | null;
  /** Null without activity, and without PostgreSQL. */
  readonly webhookReceiver: DevnetWebhookReceiver | null;
  /** Generated transactions never spend from the last account, `guest`. */
  readonly accounts: readonly DevnetAccount[];
  /** The token contracts of the generated history. */
  readonly contracts: readonly DevnetContract[];
  readonly tournament: DevnetTournament;
  readonly landmarks: DevnetLandmarks;
  /** Names, symbols, decimals and logos of its tokens. */
  readonly tokenList: TokenList;
  /** Absent if the network has one chain. */
  readonly chains?: readonly FurtherChain[];
}

/** A chain of the network besides the default chain, with its own services. */
export interface FurtherChain extends Omit<DevnetDescription, 'chains'> {
  readonly name: string;
}
