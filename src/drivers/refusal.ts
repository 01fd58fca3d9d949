import { err } from '../domain/result.ts'
import type { DriverCommand, DriverEvent, DriverFault, HostCommand } from '../protocol/driver.ts'

/** Why an order was not sent whose time was over. */
export const TOO_LATE = '等待过久，未发往柜台 (it waited too long on its way, and was not sent)'

/** The answer to an order that its host has found too late: definitely not taken. Else undefined. */
export function refusalOfLate(
  { command, untilMs = Number.POSITIVE_INFINITY }: Extract<HostCommand, { kind: 'command' }>,
  nowMs: number,
): DriverEvent | undefined {
  if (command.kind !== 'submit' || nowMs <= untilMs) return undefined
  const { callId, order } = command
  const outcome = { kind: 'rejected', message: TOO_LATE, isTooLate: true } as const
  return { kind: 'submitAnswered', callId, clientOrderId: order.clientOrderId, outcome }
}

/** The answer to a command that was not carried out. A submit is definitely not taken. */
export function refusal(command: DriverCommand, fault: DriverFault): DriverEvent {
  const { callId } = command
  const result = err(fault)
  switch (command.kind) {
    case 'connect':
      return { kind: 'connectAnswered', callId, result }
    case 'barrier':
      return { kind: 'barrierAnswered', callId, result }
    case 'cancel':
      return { kind: 'cancelAnswered', callId, orderId: command.orderId, result }
    case 'query':
      return { kind: 'queryAnswered', callId, what: command.what, result }
    case 'submit': {
      const { clientOrderId } = command.order
      const outcome = { kind: 'rejected', message: fault.message } as const
      return { kind: 'submitAnswered', callId, clientOrderId, outcome }
    }
  }
}
