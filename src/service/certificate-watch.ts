import type { Config } from '../config/schema.ts'
import { exchangeDay } from '../domain/exchange-time.ts'
import type { Result } from '../domain/result.ts'
import type { Logger } from '../observability/logger.ts'
import { type Family, gauge } from '../observability/prometheus.ts'
import {
  type Certificate,
  hasCertificate,
  readCertificate,
  readCertificateLater,
  timeNotice,
} from './certificate.ts'
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
  /** What the gateway has read at its start; undefined: it says why not, and does not start. */
  readonly served: Certificate | undefined
  /** What is in the files by now. */
  readonly read: () => Promise<Result<Certificate, string>>
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
  readonly #toldDays = new Map<string, string>()
  #timer: NodeJS.Timeout | undefined
  /** At most one: where the drive of the files does not answer, it stays. */
  #reading: Promise<void> | undefined

  constructor(options: CertificateWatchOptions) {
    this.#options = options
  }

  start(): void {
    void this.look()
    this.#timer = setInterval(() => void this.look(), LOOK_MS)
  }

  /** Resolves when the files have been looked at too. */
  look(): Promise<void> {
    const { served, nowMs, warnDays } = this.#options
    if (served === undefined) return Promise.resolve()
    const until = new Date(served.endMs).toISOString()
    const notice = timeNotice(served, nowMs(), warnDays)
    if (notice !== undefined) this.#tell(notice.kind, { days: notice.days, until })
    this.#reading ??= this.#compare(served, until).finally(() => {
      this.#reading = undefined
    })
    return this.#reading
  }

  async #compare(served: Certificate, until: string): Promise<void> {
    const found = await this.#options.read()
    if (!found.ok) this.#tell('unreadable', { reason: found.error })
    else if (found.value.fingerprint !== served.fingerprint) this.#tell('replaced', { until })
  }

  /** When it ends, for the metrics. */
  get families(): Family[] {
    const end = this.#options.served?.endMs
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
  const served = readCertificate(config)
  return new CertificateWatch({
    log,
    nowMs: Date.now,
    served: served.ok ? served.value : undefined,
    read: () => readCertificateLater(config),
    warnDays,
  })
}
