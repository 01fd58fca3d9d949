import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Quantity } from '../../../src/domain/money.ts'
import { limits as limitsSchema } from '../../../src/drivers/gateway/config.ts'
import { GatewayDriver } from '../../../src/drivers/gateway/driver.ts'
import { PeerAccount, type PeerAccountOptions } from '../../../src/drivers/gateway/peer-account.ts'
import { peerAccountOptions } from '../../../src/drivers/gateway/settings.ts'
import type { DriverRig } from '../../contract/driver.ts'
import { PATIENCE_MS } from '../../in-time.ts'
import { oneThousandShares, SH } from '../fixtures/paper.ts'
import { ForeignPeer } from './foreign.ts'
import { ACCOUNT, type PeerOptions, TestPeer } from './peer.ts'
import { HostileProxy, isOrder } from './proxy.ts'

const LIMITS = limitsSchema.parse({})
export const QUICK = {
  ...LIMITS,
  poll_ms: 20,
  stream_poll_ms: 20,
  stream_retry_ms: 20,
  ask_again_ms: 20,
  request_timeout_ms: PATIENCE_MS,
  order_timeout_ms: PATIENCE_MS,
}

interface DeskOptions {
  readonly folder: string
  readonly limits?: Partial<typeof QUICK>
  readonly isSimulationAllowed?: boolean
  readonly nowMs?: () => number
}

const SILENT = { info: () => undefined, warn: () => undefined }

/** What the host of an account would make for it, at a gateway behind this proxy. */
export function deskAt(proxy: Pick<HostileProxy, 'url'>, options: DeskOptions): PeerAccount {
  return new PeerAccount(deskOptions(proxy, options))
}

function deskOptions(
  { url }: Pick<HostileProxy, 'url'>,
  { folder, limits, isSimulationAllowed = false, nowMs = Date.now }: DeskOptions,
): PeerAccountOptions {
  const gateway = {
    url,
    token_file: '',
    account_id: '',
    ca_file: '',
    allow_http: false,
    allow_simulation: isSimulationAllowed,
  }
  return peerAccountOptions(
    { account_id: ACCOUNT, call_timeout: 3, gateway },
    {
      dataDir: folder,
      limits: { gateway: { ...QUICK, ...limits }, account: { connect_timeout_ms: PATIENCE_MS } },
      log: SILENT,
      nowMs,
    },
  )
}

/** More than the counter lets through after its fees, which the rules before it think lower. */
const TOO_MUCH = { side: 'buy', quantity: 9_900 as Quantity } as const

export interface GatewayRig extends DriverRig {
  readonly peer: TestPeer
  readonly proxy: HostileProxy
  readonly desk: PeerAccount
  /** The gateway comes back, on a port that the last one does not hold any more. */
  readonly again: () => Promise<void>
  /** Another life of the desk's account. */
  readonly life: (epoch?: number) => GatewayDriver
}

type RigOptions = Partial<Omit<PeerOptions, 'folder'>> & { readonly desk?: Partial<DeskOptions> }

const foldersOf = (folder: string) => {
  const [paper, desk] = [join(folder, 'paper'), join(folder, 'desk')]
  for (const path of [paper, desk]) mkdirSync(path, { recursive: true })
  return { paper, desk }
}

/** A desk and a gateway like its own, with whatever stands between them. */
export async function openGateway(folder: string, options: RigOptions = {}): Promise<GatewayRig> {
  const folders = foldersOf(folder)
  const { fees, ...settings } = oneThousandShares()
  const dear = { ...settings, fees: { ...fees, commission: 0.03 } }
  const peer = await TestPeer.open({ settings: dear, ...options, folder: folders.paper })
  const proxy = await HostileProxy.open(peer.port)
  const desk = deskAt(proxy, {
    folder: folders.desk,
    nowMs: peer.paper.market.nowMs,
    ...options.desk,
  })
  const life = (epoch = 1) => new GatewayDriver(desk, epoch)
  const tick = async ({ bid, ask }: { bid: number; ask: number }) => {
    const book = { last: ask, lastClose: 10, ask: [[ask, 9_000]], bid: [[bid, 9_000]] } as const
    peer.paper.market.tick(SH, book)
  }
  return {
    driver: life(),
    code: SH,
    refused: TOO_MUCH,
    tick,
    hold: () => holdOrders(proxy),
    peer,
    proxy,
    desk,
    life,
    again: async () => {
      await peer.startAccount()
      await peer.startFront(0)
      proxy.target = peer.port
    },
    close: async () => {
      desk.close()
      await proxy.close()
      await peer.close()
    },
  }
}

function holdOrders(proxy: HostileProxy): () => void {
  const { promise, resolve } = Promise.withResolvers<void>()
  proxy.mischief = (request) => (isOrder(request) ? { kind: 'hold', until: promise } : undefined)
  return () => {
    proxy.mischief = () => undefined
    resolve()
  }
}

/** For the contract suite. */
export const openGatewayRig = (folder: string): Promise<DriverRig> => openGateway(folder)

/** The same without an event stream. */
export async function openSilentGatewayRig(folder: string): Promise<DriverRig> {
  const rig = await openGateway(folder)
  const { hold, proxy } = rig
  const quiet = () => {
    const { mischief } = proxy
    proxy.mischief = (request) =>
      request.path.endsWith('/events')
        ? { kind: 'instead', status: 502, body: '<html></html>' }
        : mischief(request)
  }
  quiet()
  const held = () => {
    const release = hold()
    quiet()
    return () => {
      release()
      quiet()
    }
  }
  return { ...rig, hold: held }
}

/** A gateway that speaks the interface and nothing beyond: no keys, no tags, no stream. */
export async function openForeignRig(folder: string): Promise<DriverRig> {
  const folders = foldersOf(folder)
  const peer = await ForeignPeer.open(folders.paper)
  const proxy = await HostileProxy.open(peer.port)
  const desk = deskAt(proxy, { folder: folders.desk, nowMs: peer.nowMs })
  return {
    driver: new GatewayDriver(desk, 1),
    code: SH,
    tick: (prices) => peer.tick(prices),
    hold: () => holdOrders(proxy),
    close: async () => {
      desk.close()
      await proxy.close()
      await peer.close()
    },
  }
}
