import {
  createHash,
  createPrivateKey,
  createPublicKey,
  type KeyObject,
  sign,
  verify,
} from 'node:crypto'
import { err, ok, type Result } from '../domain/result.ts'

/** Where the journal of an account ended at a moment, told to whoever keeps it out of reach of the data folder. */
export interface PublishedHead {
  readonly account: string
  /** Number of the last entry. */
  readonly seq: number
  /** Its hash, in hexadecimal. */
  readonly head: string
  /** ISO time of the computer's clock. */
  readonly at: string
  /** Fingerprint of the key that signed; without a key both are absent. */
  readonly key?: string
  /** Ed25519 over {@link statementOf}, base64. */
  readonly signature?: string
}

/** What is signed: the account with its whole number, also where the line shows it masked. */
const statementOf = ({ account, seq, head, at }: PublishedHead): Uint8Array =>
  Buffer.from(`steward journal head\n${account}\n${seq}\n${head}\n${at}\n`)

const KEY_TYPE = 'ed25519'
const FINGERPRINT_DIGITS = 16

/** A key of the right kind and a name for it, the same for both of its halves. */
export interface HeadKey {
  readonly key: KeyObject
  readonly fingerprint: string
}

/** Reads a private key in PEM. The error is a few words. */
export const parseSigningKey = (pem: string): Result<HeadKey, string> =>
  parseKey(() => createPrivateKey(pem))

/** Reads a public key in PEM; that of a private one is taken from it. The error is a few words. */
export const parsePublicKey = (pem: string): Result<HeadKey, string> =>
  parseKey(() => createPublicKey(pem))

function parseKey(read: () => KeyObject): Result<HeadKey, string> {
  try {
    const key = read()
    const type = key.asymmetricKeyType ?? 'secret'
    if (type !== KEY_TYPE) return err(`it is a key of the type ${type}, not ${KEY_TYPE}`)
    return ok({ key, fingerprint: fingerprintOf(key) })
  } catch {
    return err(`it holds no ${KEY_TYPE} key in PEM without a pass phrase`)
  }
}

function fingerprintOf(key: KeyObject): string {
  const half = key.type === 'private' ? createPublicKey(key) : key
  const der = half.export({ type: 'spki', format: 'der' })
  return createHash('sha256').update(der).digest('hex').slice(0, FINGERPRINT_DIGITS)
}

/** The head with the signature of a private key. */
export const signHead = (head: PublishedHead, { key, fingerprint }: HeadKey): PublishedHead => ({
  ...head,
  key: fingerprint,
  signature: sign(null, statementOf(head), key).toString('base64'),
})

/** Whether this key signed exactly this about `account`, whose number a line of the log masks. */
export const isSignedBy = (head: PublishedHead, account: string, { key }: HeadKey): boolean =>
  head.signature !== undefined &&
  verify(null, statementOf({ ...head, account }), key, Buffer.from(head.signature, 'base64'))

const HEX_HASH = /^[0-9a-f]{64}$/

/** A line of a head file or of the log; undefined for any other line. */
export function parseHead(line: string): PublishedHead | undefined {
  const { account, seq, head, at, key, signature } = fieldsOf(line)
  if (typeof account !== 'string' || typeof head !== 'string' || typeof at !== 'string') return
  if (typeof seq !== 'number' || !Number.isSafeInteger(seq) || seq < 1) return
  if (!HEX_HASH.test(head)) return
  const signed = typeof key === 'string' && typeof signature === 'string'
  return { account, seq, head, at, ...(signed && { key, signature }) }
}

function fieldsOf(line: string): Readonly<Record<string, unknown>> {
  if (!line.includes('"head"')) return {}
  try {
    return Object(JSON.parse(line)) as Record<string, unknown>
  } catch {
    return {} // a line that was cut by the end of a process
  }
}
