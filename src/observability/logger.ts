import pino from 'pino'
import type { LogLevel } from '../config/schema.ts'
import { maskAccount } from './mask.ts'

export type LogFields = Readonly<Record<string, unknown>>
type Log = (fields: LogFields, message: string) => void

/**
 * JSON lines with time (ISO), level, name, fields and message.
 *
 * The fields `account`, `account_id` and `accountId` are masked, `err` takes an Error, and fields
 * that hold a token are replaced. What is put into the message text is the caller's own care.
 */
export interface Logger {
  readonly debug: Log
  readonly info: Log
  readonly warn: Log
  readonly error: Log
  /** A logger that adds these fields to every line. */
  child(fields: LogFields): Logger
}

export interface LoggerOptions {
  readonly level: LogLevel
  /** Who writes: `main`, `store`, `market`, `account`. */
  readonly name: string
  /** Takes finished lines instead of standard output. */
  readonly write?: (line: string) => void
}

/** Unsent text kept while standard output refuses it; more is dropped, never waited for. */
const PENDING_BYTES_MAX = 1_048_576

const ACCOUNT_FIELDS = ['account', 'account_id', 'accountId'] as const
const SECRET_FIELDS = ['api_token', 'apiToken', 'token', 'authorization', 'x-api-token']

const maskIfText = (value: unknown): unknown =>
  typeof value === 'string' ? maskAccount(value) : value

/**
 * Writes each line to standard output with one synchronous call: lines of several threads do not
 * mix, and the last line before an exit is not lost. Every thread makes its own.
 */
export function createLogger({ level, name, write }: LoggerOptions): Logger {
  const serializers = Object.fromEntries(ACCOUNT_FIELDS.map((field) => [field, maskIfText]))
  const paths = SECRET_FIELDS.flatMap((field) => [`["${field}"]`, `*["${field}"]`])
  return narrow(
    pino(
      {
        level,
        base: { name },
        timestamp: pino.stdTimeFunctions.isoTime,
        formatters: { level: (label) => ({ level: label }) },
        serializers: { ...serializers, err: pino.stdSerializers.err },
        redact: { paths, censor: '***' },
      },
      write === undefined ? standardOutput() : { write },
    ),
  )
}

function standardOutput(): pino.DestinationStream {
  const output = pino.destination({ fd: 1, sync: true, maxLength: PENDING_BYTES_MAX })
  // A closed pipe or a full disk costs log lines; it must not stop a service that trades.
  output.on('error', () => {})
  return output
}

const narrow = (inner: pino.Logger): Logger => ({
  debug: (fields, message) => inner.debug(fields, message),
  info: (fields, message) => inner.info(fields, message),
  warn: (fields, message) => inner.warn(fields, message),
  error: (fields, message) => inner.error(fields, message),
  child: (fields) => narrow(inner.child(fields)),
})

/** Writes nothing, for tests. */
export const silentLogger: Logger = {
  debug: () => {},
  info: () => {},
  warn: () => {},
  error: () => {},
  child: () => silentLogger,
}
