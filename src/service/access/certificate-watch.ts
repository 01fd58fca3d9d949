import type { Config } from '../../config/schema.ts'
import { exchangeDay } from '../../domain/exchange-time.ts'
import type { Result } from '../../domain/result.ts'
import type { Logger } from '../../observability/logger.ts'
import { type Family, gauge } from '../../observability/prometheus.ts'
import type { Scope } from '../settings/scope.ts'
import {
  type CertificateFiles,
  hasCertificate,
  readCertificate,
  readCertificateLater,
  timeNotice,
} from './certificate.ts'

const TEXT = {
  early: 'the certificate of the gateway is not valid yet: compare the clock of this computer',
  ending:
    'the certificate of the gateway ends soon, and with it every connection from elsewhere: renew its files',
  ended: 'the certificate of the gateway has ended, remote clients do not connect: renew its files',
  unfit:
    'the files hold another certificate than the gateway serves, which is not valid now: the former one goes on',
  replaced:
    'the files hold another certificate than the gateway serves, and it could not be exchanged: start the service anew outside of trading hours',
  unreadable:
    'the files of the certificate cannot be used: the former one goes on, and the next start would fail',
} as const

interface CertificateWatchOptions {
  readonly log: Pick<Logger, 'error' | 'info'>
  readonly nowMs: () => number
  /** What the gateway has read at its start; undefined: it says why not, and does not start. */
  readonly served: CertificateFiles | undefined
  /** What is in the files by now. */
  readonly read: () => Promise<Result<CertificateFiles, string>>
  readonly warnDays: number
  /** Between two looks at the files and the day. */
  readonly lookMs: number
}

/**
 * Says once a day that the certificate of the gateway ends. When its files hold another one, as after a program beside the
 * service has renewed it, new connections are answered with that; where it cannot be, the former one goes on, and that is said.
 */
export class CertificateWatch {
  readonly #options: CertificateWatchOptions
  readonly #toldDays = new Map<string, string>()
  #served: CertificateFiles | undefined
  /** Undefined: nothing is served yet. */
  #exchange: (() => void) | undefined
  #timer: NodeJS.Timeout | undefined
  /** At most one: where the drive of the files does not answer, it stays. */
  #reading: Promise<void> | undefined

  constructor(options: CertificateWatchOptions) {
    this.#options = options
    this.#served = options.served
  }

  /** Has new connections answered with what is in the files. Its errors are told, and nothing has changed then. */
  exchangeBy(exchange: () => void): void {
    this.#exchange = exchange
  }

  start(): void {
    void this.look()
    this.#timer = setInterval(() => void this.look(), this.#options.lookMs)
  }

  /** Resolves when the files have been looked at too. */
  look(): Promise<void> {
    const { nowMs, warnDays } = this.#options
    const served = this.#served
    if (served === undefined) return Promise.resolve()
    const until = new Date(served.endMs).toISOString()
    const notice = timeNotice(served, nowMs(), warnDays)
    if (notice !== undefined) this.#tell(notice.kind, { days: notice.days, until })
    this.#reading ??= this.#compare().finally(() => {
      this.#reading = undefined
    })
    return this.#reading
  }

  async #compare(): Promise<void> {
    const found = await this.#options.read()
    if (!found.ok) return this.#tell('unreadable', { reason: found.error })
    const { beginMs, endMs, chain } = found.value
    if (chain === this.#served?.chain || this.#exchange === undefined) return
    const [from, until] = [beginMs, endMs].map((ms) => new Date(ms).toISOString())
    const nowMs = this.#options.nowMs()
    if (nowMs < beginMs || nowMs > endMs) return this.#tell('unfit', { from, until })
    try {
      this.#exchange()
    } catch (error) {
      return this.#tell('replaced', { until, reason: String(error) })
    }
    this.#served = found.value
    this.#toldDays.clear()
    this.#options.log.info({ until }, 'the gateway serves the renewed certificate')
  }

  /** When it ends, for the metrics. */
  get families(): Family[] {
    const end = this.#served?.endMs
    if (end === undefined) return []
    const help = 'When the certificate ends that the gateway serves.'
    return [
      gauge('steward_certificate_end_timestamp_seconds', help, [
        { labels: {}, value: end / 1_000 },
      ]),
    ]
  }

  #tell(kind: keyof typeof TEXT, fields: object): void {
    const day = exchangeDay(this.#options.nowMs())
    if (this.#toldDays.get(kind) === day) return
    this.#toldDays.set(kind, day)
    this.#options.log.error({ alert: `certificate_${kind}`, ...fields }, TEXT[kind])
  }

  close(): void {
    clearInterval(this.#timer)
  }
}

interface Started {
  readonly config: Config
  readonly scope: Scope
  readonly log: Logger
}

/** Undefined where there is no gateway that is HTTPS by itself. */
export function certificateWatch({ config, scope, log }: Started): CertificateWatch | undefined {
  if (scope.kind === 'direct' || !hasCertificate(config)) return undefined
  const { certificate_warn_days: warnDays, certificate_look_ms: lookMs } = config.limits.http
  const served = readCertificate(config)
  return new CertificateWatch({
    log,
    nowMs: Date.now,
    served: served.ok ? served.value : undefined,
    read: () => readCertificateLater(config),
    warnDays,
    lookMs,
  })
}
