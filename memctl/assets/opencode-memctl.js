// Connects OpenCode with memctl: gives the model what is known, and hands every finished turn over. Whatever goes wrong, it stays silent.
import { spawn } from "node:child_process"

const HOOK = "memctl-hook"

const contextIn = (said) => {
  try {
    return JSON.parse(said).context ?? ""
  } catch {
    return ""
  }
}

const call = (event, payload, seconds) =>
  new Promise((resolve) => {
    const child = spawn(HOOK, ["opencode", event], { stdio: ["pipe", "pipe", "ignore"], timeout: seconds * 1000 })
    let said = ""
    child.on("error", () => resolve(""))
    child.stdin.on("error", () => {})
    child.stdout.on("data", (chunk) => (said += chunk))
    child.on("close", () => resolve(contextIn(said)))
    child.stdin.end(JSON.stringify(payload))
  }).catch(() => "")

export const Memctl = async ({ directory, worktree }) => {
  const begun = new Map() // what each session was told when it began, or began anew after a compaction
  const asked = new Map() // what its latest prompt calls for
  let latest
  const about = (sessionID, more) => ({ sessionID, directory: directory || worktree, ...more })
  return {
    event: async ({ event: { type, properties } }) => {
      const id = properties?.sessionID ?? properties?.info?.id
      if (type === "session.idle" || type === "session.compacted") await call(type, about(id), 30)
      if (type === "session.compacted" || type === "session.deleted") for (const told of [begun, asked]) told.delete(id)
    },
    "chat.message": async ({ sessionID }, { parts }) => {
      const typed = (parts ?? []).filter((part) => part.type === "text" && !part.synthetic)
      const prompt = typed.map((part) => part.text).join("\n")
      asked.set((latest = sessionID), prompt && (await call("chat.message", about(sessionID, { prompt }), 5)))
    },
    "experimental.chat.system.transform": async ({ sessionID: id = latest }, output) => {
      if (id && !begun.has(id)) begun.set(id, await call("session.created", about(id), 10))
      output.system.push(...[begun.get(id), asked.get(id)].filter(Boolean))
    },
    "experimental.session.compacting": async ({ sessionID }) => {
      await call("session.compacting", about(sessionID), 30)
    },
  }
}
