import { createHash, createPrivateKey, X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createSecureContext } from 'node:tls'
import type { Config } from '../../config/schema.ts'
import { err, ok, type Result } from '../../domain/result.ts'

/** What is to be known of the certificate of the gateway. */
export interface Certificate {
  readonly beginMs: number
  readonly endMs: number
  /** SHA-256, as the system writes it. */
  readonly fingerprint: string
}

/** Of files that are a pair. */
export interface CertificateFiles extends Certificate {
  /** Digest of the file with it and those of who vouches for it, any of which may be renewed alone. */
  readonly chain: string
}

type Gateway = Pick<Config, 'gateway'>

/** Whether the gateway is HTTPS by itself. */
export const hasCertificate = ({ gateway }: Gateway): boolean => gateway.ssl_certfile !== ''

/** The certificate that stands in the files, which have to be a pair. */
export function readCertificate({ gateway }: Gateway): Result<CertificateFiles, string> {
  try {
    return ofPair(readFileSync(gateway.ssl_certfile), readFileSync(gateway.ssl_keyfile))
  } catch (error) {
    return cannotBeUsed(reasonOf(error))
  }
}

/** The same beside this thread: a drive that does not answer keeps nobody waiting. */
export async function readCertificateLater({
  gateway,
}: Gateway): Promise<Result<CertificateFiles, string>> {
  try {
    return ofPair(await readFile(gateway.ssl_certfile), await readFile(gateway.ssl_keyfile))
  } catch (error) {
    return cannotBeUsed(reasonOf(error))
  }
}

/** Errors  of the library. */
function ofPair(cert: Buffer, key: Buffer): Result<CertificateFiles, string> {
  createSecureContext({ cert, key })
  const first = new X509Certificate(cert) // those of who vouches come behind it
  // A key of another kind (RSA, EC) is taken by the library without a look at the certificate.
  return first.checkPrivateKey(createPrivateKey(key))
    ? ok({ ...certificateOf(first), chain: createHash('sha256').update(cert).digest('hex') })
    : cannotBeUsed('二者不成对 (they are no pair)')
}

const reasonOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error)

const cannotBeUsed = (reason: string): Result<never, string> =>
  err(`gateway.ssl_certfile, gateway.ssl_keyfile: 无法使用 (cannot be used): ${reason}`)

export const certificateOf = ({
  validFrom,
  validTo,
  fingerprint256,
}: Pick<X509Certificate, 'validFrom' | 'validTo' | 'fingerprint256'>): Certificate => ({
  beginMs: Date.parse(validFrom),
  endMs: Date.parse(validTo),
  fingerprint: fingerprint256,
})

const DAY_MS = 86_400_000
/** One that is made for days is renewed in its last third; so long before its end nobody need be told of it. */
const LAST_PART = 3

/** What is wrong with the time of a certificate, or soon will be. */
export interface TimeNotice {
  readonly kind: 'early' | 'ending' | 'ended'
  /** Whole days up to its beginning or its end, or since. */
  readonly days: number
}

export function timeNotice(
  { beginMs, endMs }: Certificate,
  nowMs: number,
  warnDays: number,
): TimeNotice | undefined {
  const inDays = (ms: number): number => Math.floor(ms / DAY_MS)
  if (nowMs < beginMs) return { kind: 'early', days: inDays(beginMs - nowMs) }
  if (nowMs > endMs) return { kind: 'ended', days: inDays(nowMs - endMs) }
  const warnMs = Math.min(warnDays * DAY_MS, (endMs - beginMs) / LAST_PART)
  return endMs - nowMs <= warnMs ? { kind: 'ending', days: inDays(endMs - nowMs) } : undefined
}

const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10)

/** For a person at a command. */
export function noticeText({ kind }: TimeNotice, { beginMs, endMs }: Certificate): string {
  if (kind === 'early')
    return `证书从 ${dayOf(beginMs)} 起才有效，请核对时钟 (the certificate is valid from ${dayOf(beginMs)} on: compare the clock)`
  return kind === 'ended'
    ? `证书已于 ${dayOf(endMs)} 到期，远程客户端无法连接 (the certificate has ended on ${dayOf(endMs)}: no remote client connects)`
    : `证书将于 ${dayOf(endMs)} 到期 (the certificate ends on ${dayOf(endMs)})`
}

export const RENEW_MEND =
  '请更新证书文件：运行中的服务会自行换上，最迟 limits.http.certificate_look_ms（1 小时）之后 (renew its files: a running service takes them by itself, within limits.http.certificate_look_ms, an hour)'

/** Each one line, for `steward check`. */
export function certificateWarnings(
  config: Gateway & Pick<Config, 'limits'>,
  nowMs: number,
): readonly string[] {
  if (!hasCertificate(config)) return []
  const read = readCertificate(config)
  if (!read.ok) return [read.error]
  const notice = timeNotice(read.value, nowMs, config.limits.http.certificate_warn_days)
  return notice === undefined
    ? []
    : [`gateway.ssl_certfile: ${noticeText(notice, read.value)}；${RENEW_MEND}`]
}
