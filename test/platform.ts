/** What a platform has not: a test that needs it is skipped there and says why. */

interface Needs {
  readonly skip?: string
}

const notOnWindows = (why: string): Needs => (process.platform === 'win32' ? { skip: why } : {})

export const NEEDS_SIGNALS = notOnWindows('Windows knows no signals: a process is only ended hard')
export const NEEDS_SUSPENSION = notOnWindows('on Windows no process can be suspended by a signal')
export const NEEDS_SOCKET_FILES = notOnWindows('pipes of Windows leave no files')
export const NEEDS_FILE_LIMITS = notOnWindows('Windows has no limit for the size of files')
/** Root may write anywhere, and Windows has other rights. */
export const NEEDS_USER: Needs =
  process.getuid === undefined || process.getuid() === 0
    ? { skip: 'for a user who is not root, where there are such rights' }
    : {}
/** How a service that was asked to stop has ended: on Windows a signal is the end at once. */
export const ORDERLY: { readonly code?: number } = process.platform === 'win32' ? {} : { code: 0 }
