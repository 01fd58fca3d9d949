import { connect } from 'node:tls'
import type { Config } from '../../config/schema.ts'
import { type Finding, fail, fine, warn } from '../../domain/finding.ts'
import {
  type Certificate,
  certificateOf,
  hasCertificate,
  noticeText,
  RENEW_MEND,
  readCertificate,
  timeNotice,
} from '../access/certificate.ts'

/** On this computer. */
const ANSWER_MS_MAX = 3_000
const NAME = 'certificate'

/** The files of the gateway's certificate, and whether it serves that one. */
export async function certificateFindings(
  config: Pick<Config, 'gateway' | 'limits'>,
  nowMs: number,
): Promise<readonly Finding[]> {
  if (!hasCertificate(config)) return []
  const read = readCertificate(config)
  if (!read.ok) {
    const mend =
      '请核对这两个文件：证书与私钥须成对，且本用户可读 (compare both files: certificate and key of one pair, readable by this user)'
    return [fail(NAME, read.error, mend)]
  }
  const notice = timeNotice(read.value, nowMs, config.limits.http.certificate_warn_days)
  const served = await servedBy(config)
  return [
    notice === undefined
      ? fine(NAME, `有效至 ${untilOf(read.value)} (valid until then)`)
      : (notice.kind === 'ending' ? warn : fail)(NAME, noticeText(notice, read.value), RENEW_MEND),
    ...(served === undefined || served.fingerprint === read.value.fingerprint
      ? []
      : [
          warn(
            NAME,
            `网关端口上的证书与文件不同，前者有效至 ${untilOf(served)} (another one than in the file is served at the port of the gateway, valid until then)`,
            '服务最迟在 limits.http.certificate_look_ms（1 小时）后自行换上；仍不同请看日志，或在交易时间之外重启服务 (the service takes it by itself within limits.http.certificate_look_ms, an hour; if it is still another one then, see the log, or start the service anew outside of trading hours)',
          ),
        ]),
  ]
}

const untilOf = ({ endMs }: Certificate): string => new Date(endMs).toISOString().slice(0, 10)

/** Undefined where nobody answers, as while the service does not run. */
function servedBy({
  gateway: { host, port },
}: Pick<Config, 'gateway'>): Promise<Certificate | undefined> {
  if (port === 0) return Promise.resolve(undefined)
  const here = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host
  return new Promise((resolve) => {
    const socket = connect({ host: here, port, rejectUnauthorized: false }, () => {
      const found = socket.getPeerX509Certificate()
      end(found && certificateOf(found))
    })
    const end = (found: Certificate | undefined): void => {
      socket.destroy()
      resolve(found)
    }
    socket.setTimeout(ANSWER_MS_MAX, () => end(undefined))
    socket.once('error', () => end(undefined))
  })
}
