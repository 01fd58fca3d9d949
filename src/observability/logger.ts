import pino from 'pino'
import type { LogLevel } from '../domain/log-level.ts'
import { maskAccount, maskAddresses } from '../domain/mask.ts'
import { type LogMemory, levelReader } from './log-memory.ts'

export type LogFields = Readonly<Record<string, unknown>>
type Log = (fields: LogFields, message: string) => void

/**
 * JSON lines with time (ISO), level, name, fields and message.
 *
 * The fields `account`, `account_id` and `accountId` are masked, and ids in `actor`, `path`, `peer`, `reason`; `err` takes an Error, and fields
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
  /** Never changes. */
  readonly level?: LogLevel
  /** Shared with the other loggers of the process; wins over `level`. */
  readonly memory?: LogMemory
  /** Who writes: `main`, `store`, `market`, `account`. */
  readonly name: string
  /** Takes finished lines, one at a time. It must not wait: trading threads log. */
  readonly write: (line: string) => void
}

const ACCOUNT_FIELDS = ['account', 'account_id', 'accountId'] as const
const SECRET_FIELDS = ['api_token', 'apiToken', 'token', 'authorization', 'x-api-token']

const ADDRESS_FIELDS = ['actor', 'path', 'peer', 'reason'] as const

const ifText =
  (mask: (text: string) => string) =>
  (value: unknown): unknown =>
    typeof value === 'string' ? mask(value) : value

/** Every thread makes its own; where the lines go is said by whoever makes it. */
export function createLogger({ level = 'info', memory, name, write }: LoggerOptions): Logger {
  const serializers = Object.fromEntries([
    ...ACCOUNT_FIELDS.map((field) => [field, ifText(maskAccount)] as const),
    ...ADDRESS_FIELDS.map((field) => [field, ifText(maskAddresses)] as const),
  ])
  const paths = SECRET_FIELDS.flatMap((field) => [`["${field}"]`, `*["${field}"]`])
  const levelNow = memory === undefined ? () => level : levelReader(memory)
  const inner = pino(
    {
      level: levelNow(),
      base: { name },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { ...serializers, err: pino.stdSerializers.err },
      redact: { paths, censor: '***' },
    },
    { write },
  )
  return narrow(inner, levelNow)
}

/** The level is looked at with every line, because another thread may have changed it. */
function narrow(inner: pino.Logger, levelNow: () => LogLevel): Logger {
  const write =
    (method: 'debug' | 'info' | 'warn' | 'error'): Log =>
    (fields, message) => {
      const level = levelNow()
      if (inner.level !== level) inner.level = level
      inner[method](fields, message)
    }
  return {
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
    child: (fields) => narrow(inner.child(fields), levelNow),
  }
}

/** Writes nothing, for tests. */
export const silentLogger: Logger = {
  debug: () => {},
  info: () => {},
  warn: () => {},
  error: () => {},
  child: () => silentLogger,
}
