/** The address of a package as an `import` finds it; `run-script.cjs` asks when somebody wants to know. */
export const resolve = (name) => import.meta.resolve(name)
