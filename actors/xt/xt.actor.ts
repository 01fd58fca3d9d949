import type { MessagePort } from 'node:worker_threads'
import { parseAddress } from '../../src/config/xt.ts'
import { maskAccount } from '../../src/domain/mask.ts'
import { XtDriver } from '../../src/drivers/xt/driver.ts'
import { whereaboutsOf, type XtSettings } from '../../src/drivers/xt/settings.ts'
import { SidecarHost } from '../../src/drivers/xt/sidecar-host.ts'
import type { Logger } from '../../src/observability/logger.ts'
import { decode, encode } from '../../src/protocol/codec.ts'
import type { XtCommand } from '../../src/protocol/xt.ts'
import { postBytes } from '../../src/runtime/posting.ts'

export interface XtActorOptions {
  readonly log: Logger
  /** For which a sidecar waits for the next thread of its account, milliseconds. */
  readonly lingerMs: number
}

/** What comes with the port of an account. */
export interface XtIntroduction {
  readonly accountId: string
  readonly settings: XtSettings
}

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
  introduce({ accountId, settings }: XtIntroduction, port: MessagePort): void {
    const log = this.#options.log.child({ account: accountId })
    const guest = this.#guests.get(accountId) ?? this.#welcome(accountId, settings)
    clearTimeout(guest.leaving)
    guest.driver?.close()
    let driver: XtDriver | undefined
    port.on('message', (bytes: Uint8Array) => {
      const message = decode<XtCommand>(bytes)
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
    }, this.#options.lingerMs)
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
    const address = parseAddress(plan.sidecar.attach)
    const host = new SidecarHost({
      whereabouts: whereaboutsOf(plan, address, [[accountId, maskAccount(accountId)]]),
      limits: plan.limits,
      log: this.#options.log.child({ account: accountId }),
    })
    const guest: Guest = { host, driver: undefined, leaving: undefined }
    this.#guests.set(accountId, guest)
    return guest
  }
}
