import { SharedClock } from '../../../market/clock.ts'
import { ActorBoard } from '../../../runtime/actor-board.ts'
import { serveRealHost } from '../../host.ts'
import { GatewayDriver } from '../driver.ts'
import { PeerAccount } from '../peer-account.ts'
import { type GatewayAccount, type GatewayLimitsSection, peerAccountOptions } from '../settings.ts'

/** Each account has its connections and its open orders, which outlive the threads of the account. */
serveRealHost<GatewayAccount, GatewayLimitsSection>('gateway', (surroundings) => {
  const clock = new SharedClock(surroundings.market)
  const board = new ActorBoard(surroundings.actorBoard)
  return {
    lingerMs: surroundings.limits.gateway.linger_ms,
    connect: (account, log) => {
      const peer = new PeerAccount(
        peerAccountOptions(account, {
          dataDir: surroundings.dataDir,
          limits: surroundings.limits,
          log,
          nowMs: () => clock.nowMs(),
          atDisk: (work) => board.atDisk(surroundings.slot, work),
        }),
      )
      return {
        driver: ({ epoch }) => new GatewayDriver(peer, epoch),
        close: () => peer.close(),
      }
    },
  }
})
