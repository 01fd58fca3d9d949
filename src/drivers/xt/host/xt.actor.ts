import type { MessagePort } from 'node:worker_threads'
import { maskAccount } from '../../../domain/mask.ts'
import type { Logger } from '../../../observability/logger.ts'
import { decode, encode } from '../../../protocol/codec.ts'
import type { HostCommand } from '../../../protocol/driver.ts'
import { postBytes } from '../../../runtime/posting.ts'
import type { HostIntroduction } from '../../host.ts'
import { XtDriver } from '../driver.ts'
import {
  whereaboutsOf,
  type XtAccount,
  type XtLimits,
  type XtSettings,
  xtSettings,
} from '../settings.ts'
import { SidecarHost } from '../sidecar-host.ts'

export interface XtActorOptions {
  readonly log: Logger
  readonly dataDir: string
  readonly limits: XtHostLimits
}

/** The limits that this host reads. */
export interface XtHostLimits extends XtLimits {
  readonly runtime: { readonly heartbeat_interval_ms: number }
}

/** What comes with the port of an account. */
export type XtIntroduction = HostIntroduction<XtAccount>

interface Guest {
  readonly host: SidecarHost
  driver: XtDriver | undefined
  /** Ends the sidecar of an account that does not come back. */
  leaving: NodeJS.Timeout | undefined
}

/** The sidecars of all accounts of the process at real trading clients. */
export class XtActor {
  readonly #options: XtActorOptions
  readonly #guests = new Map<string, Guest>()

  constructor(options: XtActorOptions) {
    this.#options = options
  }

  /** The account's thread is there, or there anew: its sidecar stayed as it was. */
  introduce({ account }: XtIntroduction, port: MessagePort): void {
    const accountId = account.account_id
    const settings = xtSettings(this.#options, account)
    const log = this.#options.log.child({ account: accountId })
    const guest = this.#guests.get(accountId) ?? this.#welcome(accountId, settings)
    clearTimeout(guest.leaving)
    guest.driver?.close()
    let driver: XtDriver | undefined
    port.on('message', (bytes: Uint8Array) => {
      const message = decode<HostCommand>(bytes)
      if (message.kind === 'command') return driver?.send(message.command)
      driver = new XtDriver({
        accountId,
        accountType: settings.accountType,
        clientPath: settings.clientPath,
        host: guest.host,
        epoch: message.epoch,
        limits: settings.limits,
        log,
        nowMs: Date.now,
      })
      guest.driver = driver
      driver.open((event) => postBytes(port, encode(event)))
    })
  }

  leave(accountId: string): void {
    const guest = this.#guests.get(accountId)
    if (guest === undefined) return
    guest.driver?.close()
    guest.driver = undefined
    clearTimeout(guest.leaving)
    guest.leaving = setTimeout(() => {
      this.#guests.delete(accountId)
      guest.host.close()
    }, this.#options.limits.xt.linger_ms)
  }

  close(): void {
    for (const { host, driver, leaving } of this.#guests.values()) {
      clearTimeout(leaving)
      driver?.close()
      host.close()
    }
    this.#guests.clear()
  }

  #welcome(accountId: string, { plan }: XtSettings): Guest {
    const host = new SidecarHost({
      whereabouts: whereaboutsOf(plan, [[accountId, maskAccount(accountId)]]),
      limits: plan.limits,
      log: this.#options.log.child({ account: accountId }),
    })
    const guest: Guest = { host, driver: undefined, leaving: undefined }
    this.#guests.set(accountId, guest)
    return guest
  }
}
