import { isAbsolute, type PlatformPath, relative, sep } from 'node:path'

type Paths = Pick<PlatformPath, 'isAbsolute' | 'relative' | 'sep'>

const OWN: Paths = { isAbsolute, relative, sep }

/**
 * Whether `inner` is `outer`, or lies in it; both are real paths. What is on another drive of Windows has no way
 * there that begins with `..`: it is a whole path.
 */
export function isWithin(outer: string, inner: string, paths: Paths = OWN): boolean {
  const way = paths.relative(outer, inner)
  return !paths.isAbsolute(way) && way.split(paths.sep)[0] !== '..'
}
