import { NativeModuleError, whyNotLoaded } from '../../src/runtime/native-module.ts'

export type { HttpRequest, HttpResponse, TemplatedApp, us_listen_socket } from 'uWebSockets.js'

const NAME = 'uWebSockets.js'
let loading: Promise<typeof import('uWebSockets.js')> | undefined

/**
 * The socket library, loaded when somebody wants to serve: whatever else this program does works where its
 * machine code cannot be loaded.
 *
 * Errors  rejects with `NativeModuleError`.
 */
export function loadSocketLibrary(): Promise<typeof import('uWebSockets.js')> {
  loading ??= import('uWebSockets.js').catch((error: unknown) => {
    const message = error instanceof Error ? error.message : String(error)
    throw new NativeModuleError(NAME, whyNotLoaded(message, true), error)
  })
  return loading
}
