import { Route, Routes } from 'react-router';
import { Project } from './project.tsx';
import { ProjectList } from './project-list.tsx';

/** The list of projects, and the page of one. */
export function Projects() {
  return (
    <Routes>
      <Route index element={<ProjectList />} />
      <Route path=":name" element={<Project />} />
    </Routes>
  );
}
