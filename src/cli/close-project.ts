/** Closes what a command opened, without waiting for ever. */
import type { Project } from "../project/index.ts";

/** What runs is killed, and that takes no time: whoever needs longer is not waited for. */
export async function closeProject(project: Project, deadlineMs = 5000): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, deadlineMs);
  });
  await Promise.race([project.dispose().catch(() => {}), deadline]);
  clearTimeout(timer);
}
