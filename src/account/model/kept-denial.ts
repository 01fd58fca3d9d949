import type { ErrorCode } from '../../domain/errors.ts'

/** A refusal that is the answer to its key from now on. */
export interface KeptDenial {
  readonly requestHash: string
  readonly code: ErrorCode
  readonly message: string
  /** Place in the journal: the oldest is forgotten first. */
  readonly seq: number
  /** Epoch ms of the market clock. */
  readonly createdMs: number
}

/** The refusal that a withdrawn key means, and what tells it from others: it is of no request. */
export const WITHDRAWN_KEY = {
  requestHash: '',
  code: 'ORDER_WITHDRAWN',
  message:
    '该键已作废：下单方确认此前无委托到达，迟到的请求不再执行 (this key was withdrawn before any order came under it: not executed)',
} as const satisfies Partial<KeptDenial>

export const isWithdrawnKey = ({ code, requestHash }: KeptDenial): boolean =>
  code === WITHDRAWN_KEY.code && requestHash === WITHDRAWN_KEY.requestHash
