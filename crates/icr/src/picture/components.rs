//! Strongly connected components: files or directories that all reach each other.

/// The component of each node, and the number of components. The graph is given as a list of targets for each node.
///
/// Components are numbered so that every edge goes to the same or a smaller number. Uses Tarjan's algorithm with its
/// stack on the heap: time and memory grow with nodes plus edges. Targets that are not nodes are ignored.
pub(super) fn components(targets: &[Vec<usize>]) -> (Vec<usize>, usize) {
    let mut search = ComponentSearch {
        targets,
        order: vec![UNSEEN; targets.len()],
        low: vec![0; targets.len()],
        component: vec![UNSEEN; targets.len()],
        open: Vec::new(),
        seen_total: 0,
        components_total: 0,
    };
    for node in 0..targets.len() {
        if search.order[node] == UNSEEN {
            search.visit(node);
        }
    }
    (search.component, search.components_total)
}

/// Marks a node that was not reached, or that has no component yet.
const UNSEEN: usize = usize::MAX;

struct ComponentSearch<'a> {
    targets: &'a [Vec<usize>],
    order: Vec<usize>,
    low: Vec<usize>,
    component: Vec<usize>,
    open: Vec<usize>,
    seen_total: usize,
    components_total: usize,
}

impl ComponentSearch<'_> {
    fn visit(&mut self, root: usize) {
        // Each entry is a node and how many of its targets were followed.
        let mut path = vec![(root, 0)];
        self.open(root);
        while let Some(&mut (node, ref mut followed)) = path.last_mut() {
            let Some(&target) = self.targets[node].get(*followed) else {
                path.pop();
                if let Some((before, _)) = path.last() {
                    self.low[*before] = self.low[*before].min(self.low[node]);
                }
                self.close(node);
                continue;
            };
            *followed += 1;
            if target >= self.targets.len() {
                continue;
            }
            if self.order[target] == UNSEEN {
                self.open(target);
                path.push((target, 0));
            } else if self.component[target] == UNSEEN {
                self.low[node] = self.low[node].min(self.order[target]);
            }
        }
    }

    fn open(&mut self, node: usize) {
        self.order[node] = self.seen_total;
        self.low[node] = self.seen_total;
        self.seen_total += 1;
        self.open.push(node);
    }

    /// Ends the component whose first node is `node`; nothing when it is not the first.
    fn close(&mut self, node: usize) {
        if self.low[node] != self.order[node] {
            return;
        }
        while let Some(member) = self.open.pop() {
            self.component[member] = self.components_total;
            if member == node {
                break;
            }
        }
        self.components_total += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_that_reach_each_other_share_a_component() {
        let (component, total) = components(&[vec![1], vec![2], vec![0, 3], vec![4], vec![], vec![5, 9]]);
        assert_eq!((component, total), (vec![2, 2, 2, 1, 0, 3], 4));
    }

    #[test]
    fn a_chain_of_a_million_files_does_not_overflow_the_stack() {
        let chain: Vec<Vec<usize>> = (0..1_000_000).map(|node| vec![node + 1]).collect();
        assert_eq!(components(&chain).1, 1_000_000);
    }
}
