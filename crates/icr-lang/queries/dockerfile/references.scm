; Names in container files: images, which may be stages, and variables.

(image_name) @reference.other
(variable) @reference.other
