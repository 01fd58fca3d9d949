import type { Config } from '../config/schema.ts'
import { exchangeDay } from '../domain/exchange-time.ts'
import type { Result } from '../domain/result.ts'
import type { Logger } from '../observability/logger.ts'
import { type Family, gauge } from '../observability/prometheus.ts'
import { type Certificate, hasCertificate, readCertificate, timeNotice } from './certificate.ts'
import type { Scope } from './scope.ts'

/** Between two looks at the files and the day. */
const LOOK_MS = 3_600_000

const TEXT = {
  early: 'the certificate of the gateway is not valid yet: compare the clock of this computer',
  ending:
    'the certificate of the gateway ends soon, and with it every connection from elsewhere: renew its files and start the service anew',
  ended:
    'the certificate of the gateway has ended, remote clients do not connect: renew its files and start the service anew',
  replaced:
    'the files of the certificate hold another one than the gateway serves: start the service anew outside of trading hours',
  unreadable: 'the files of the certificate cannot be used: the next start would fail',
} as const

interface CertificateWatchOptions {
  readonly log: Pick<Logger, 'error'>
  readonly nowMs: () => number
  readonly read: () => Result<Certificate, string>
  readonly warnDays: number
}

/**
 * The certificate of the gateway is read once. Says once a day that it ends, and that its files have become others:
 * a program that renews them beside the service does not start it anew. It is not exchanged while it is served: the socket
 * library knows that by name (SNI) only, which a caller by address does not send, and a port whose listener is closed
 * is not to be had again while anybody is connected.
 */
export class CertificateWatch {
  readonly #options: CertificateWatchOptions
  readonly #served: Certificate | undefined
  readonly #toldDays = new Map<string, string>()
  #timer: NodeJS.Timeout | undefined

  /** At the time at which the gateway reads it too. */
  constructor(options: CertificateWatchOptions) {
    this.#options = options
    const read = options.read()
    this.#served = read.ok ? read.value : undefined // the gateway says why not, and does not start
  }

  start(): void {
    this.look()
    this.#timer = setInterval(() => this.look(), LOOK_MS)
  }

  look(): void {
    const served = this.#served
    if (served === undefined) return
    const { nowMs, read, warnDays } = this.#options
    const until = new Date(served.endMs).toISOString()
    const notice = timeNotice(served, nowMs(), warnDays)
    if (notice !== undefined) this.#tell(notice.kind, { days: notice.days, until })
    const found = read()
    if (!found.ok) this.#tell('unreadable', { reason: found.error })
    else if (found.value.fingerprint !== served.fingerprint) this.#tell('replaced', { until })
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
  const warnDays = config.limits.http.certificate_warn_days
  const read = () => readCertificate(config)
  return new CertificateWatch({ log, nowMs: Date.now, read, warnDays })
}
