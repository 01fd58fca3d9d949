import { err } from '../domain/result.ts'
import type { DriverCommand, DriverEvent, DriverFault } from '../protocol/driver.ts'

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
